package engine

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// pollEvery is how often a starting engine is asked whether it listens.
const pollEvery = 5 * time.Millisecond

// waitReady returns when both listeners of this very child answer and the
// databases that its directory holds are there, or with the reason why they
// never will.
func (p *process) waitReady(ctx context.Context, nonce, password string, databases []string) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if p.answers(ctx, nonce) && p.attached(ctx, password, databases) {
			return nil
		}
		select {
		case <-tick.C:
		case <-p.exited:
			return p.death()
		case <-ctx.Done():
			p.kill()
			return fmt.Errorf("wait for the engine to listen: %w; the last it said: %s", context.Cause(ctx), p.log.reason())
		}
	}
}

func (p *process) answers(ctx context.Context, nonce string) bool {
	body, err := get(ctx, internalURL(p.httpPort)+bootPath, "")
	if err != nil || strings.TrimSpace(body) != nonce {
		return false
	}
	// The native listener opens first in a library, but not in every program.
	c, err := net.Dial("tcp", net.JoinHostPort(loopback, strconv.Itoa(p.tcpPort)))
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// attached tells whether every one of the databases is there.
func (p *process) attached(ctx context.Context, password string, databases []string) bool {
	for _, name := range databases {
		if there, err := p.hasDatabase(ctx, password, name); err != nil || !there {
			return false
		}
	}
	return true
}

// hasDatabase tells whether there is a database of that name for the working
// user, to whom one that it may not see does not exist. An error means that the
// engine can't tell at present.
func (p *process) hasDatabase(ctx context.Context, password, name string) (bool, error) {
	answer, err := p.ask(ctx, password, "EXISTS DATABASE "+quoteName(name))
	if err != nil && strings.Contains(err.Error(), "(ACCESS_DENIED)") {
		return false, nil
	}
	return answer == "1", err
}

func internalURL(port int) string {
	return "http://" + net.JoinHostPort(loopback, strconv.Itoa(port))
}

// ask runs one statement as the working user and returns the answer, trimmed.
func (p *process) ask(ctx context.Context, password, statement string) (string, error) {
	body, err := get(ctx, internalURL(p.httpPort)+"/?query="+url.QueryEscape(statement), password)
	return strings.TrimSpace(body), err
}

// get does not use http.DefaultTransport: a proxy from the environment must
// not see these requests, and no idle connection may outlive the engine.
func get(ctx context.Context, address, password string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	if password != "" {
		req.SetBasicAuth(User, password)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("engine answered %s: %s", resp.Status, strings.TrimSpace(string(body)))
	}
	return string(body), nil
}
