// Package client calls a Headway server for the command line; it computes
// nothing and keeps no state.
package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client speaks to one server.
type Client struct {
	base  *url.URL
	token string
	http  *http.Client
}

// New returns a client of the server at base, for example
// http://127.0.0.1:8080. An empty token sends none. Each call is limited by
// timeout.
func New(base, token string, timeout time.Duration) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("server %q: write a URL like http://127.0.0.1:8080", base)
	}
	return &Client{base: u, token: token, http: &http.Client{Timeout: timeout}}, nil
}

// URL returns the address of an API path with its parameters.
func (c *Client) URL(path string, params url.Values) string {
	u := c.base.JoinPath("api", "v1", path)
	u.RawQuery = params.Encode()
	return u.String()
}

// Answer is a successful answer; the caller closes the body. Meta is the meta
// block of answers that can't hold one themselves (CSV, NDJSON), as JSON.
type Answer struct {
	Body io.ReadCloser
	Meta string
}

// Get asks for a path in the given media type. Problems of the server come
// back as *Problem.
func (c *Client) Get(ctx context.Context, path string, params url.Values, accept string) (Answer, error) {
	return c.do(ctx, http.MethodGet, path, params, nil, http.Header{"Accept": {accept}})
}

// Post sends a body to a path.
func (c *Client) Post(ctx context.Context, path string, params url.Values, body io.Reader, header http.Header) (Answer, error) {
	return c.do(ctx, http.MethodPost, path, params, body, header)
}

// Send is Post with another method, for example DELETE.
func (c *Client) Send(ctx context.Context, method, path string, body io.Reader, header http.Header) (Answer, error) {
	return c.do(ctx, method, path, nil, body, header)
}

func (c *Client) do(ctx context.Context, method, path string, params url.Values, body io.Reader, header http.Header) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL(path, params), body)
	if err != nil {
		return Answer{}, fmt.Errorf("building the request for %s: %w", path, err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return Answer{}, c.explain(err)
	}
	if resp.StatusCode < 300 {
		return Answer{Body: resp.Body, Meta: resp.Header.Get("Headway-Meta")}, nil
	}
	defer resp.Body.Close()
	return Answer{}, problemOf(resp)
}

// explain turns a transport error into one that names the remedy.
func (c *Client) explain(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf("no server answers at %s (%w): start one with headway up or headway serve, or name it with --server", c.base, op.Err)
	}
	return fmt.Errorf("asking %s: %w", c.base, err)
}

// Problem is an RFC 9457 answer of the server.
type Problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Errors []struct {
		Message  string `json:"message"`
		Location string `json:"location"`
	} `json:"errors"`
	Instance string `json:"instance"`
}

// Error implements error with everything the server said.
func (p *Problem) Error() string {
	parts := []string{p.Title}
	if len(p.Errors) == 0 && p.Detail != "" {
		parts = append(parts, p.Detail)
	}
	for _, e := range p.Errors { // they say more than the detail, which sums them up
		parts = append(parts, strings.TrimPrefix(e.Location+": "+e.Message, ": "))
	}
	text := strings.Join(parts, "; ")
	if p.Instance != "" {
		text += " (request id " + p.Instance + ")"
	}
	return text
}

func problemOf(resp *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("reading the server's %s: %w", resp.Status, err)
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	p := &Problem{Status: resp.StatusCode}
	if media == "application/problem+json" && json.Unmarshal(raw, p) == nil {
		return p
	}
	return fmt.Errorf("the server answered %s; is %s a Headway server?", resp.Status, resp.Request.URL.Host)
}
