package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/goccy/go-yaml"

	"headway/query"
	"headway/schema"
)

// policyOutput is the policy as it goes out.
type policyOutput struct {
	Status       int
	ContentType  string `header:"Content-Type"`
	ETag         string `header:"ETag"`
	CacheControl string `header:"Cache-Control"`
	Age          string `header:"Headway-Policy-Age" doc:"Seconds since what the policy is made from was read."`
	Vary         string `header:"Vary"`
	Body         []byte
}

const (
	mediaYAML = "application/yaml"
	mediaJSON = "application/json"
)

func policyFormats() []string { return []string{"json", "yaml", "envoy"} }

func (s *Server) registerPolicy(api huma.API) {
	op := operation(http.MethodGet, "hedge/policy", "What to hedge after how long: for gateways to poll")
	op.Parameters = []*huma.Param{queryParameter(query.Param{Name: "format", Doc: "Form of the answer, instead of Accept; envoy is a piece of an Envoy route configuration.", Choices: policyFormats()})}
	for _, p := range query.FilterParams(s.Fields) {
		op.Parameters = append(op.Parameters, queryParameter(query.Param{Name: p.Name, Doc: "Only the keys with this " + p.Name + "; " + query.Missing + " stands for not recorded."}))
	}
	op.Parameters = append(op.Parameters, &huma.Param{Name: "If-None-Match", In: "header", Description: "ETag of the policy that is held; 304 where it still is the policy.", Schema: &huma.Schema{Type: "string"}})
	op.Responses = answers[Policy](api, mediaJSON, mediaYAML)
	op.Responses["304"] = &huma.Response{Description: "The policy that is held still is the policy."}
	huma.Register(api, op, func(ctx context.Context, in *input) (*policyOutput, error) {
		out, err := s.getPolicy(ctx, in)
		if err != nil {
			return nil, s.explainError(ctx, "hedge/policy", err)
		}
		return out, nil
	})
	s.registerPolicyChanges(api)
}

func (s *Server) getPolicy(ctx context.Context, in *input) (*policyOutput, error) {
	format, err := policyFormat(in.asked, in.accept)
	if err != nil {
		return nil, err
	}
	want, err := s.keyFilter(in)
	if err != nil {
		return nil, err
	}
	p, age, err := s.policy(ctx)
	if err != nil {
		return nil, err
	}
	p.keep(want)
	out := &policyOutput{Status: http.StatusOK, Vary: "Accept", CacheControl: "private, max-age=" + strconv.Itoa(int(policyFresh/time.Second)),
		Age: strconv.Itoa(int(age / time.Second))}
	if out.Body, out.ContentType, err = encodePolicy(format, p); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(out.Body)
	out.ETag = `"` + hex.EncodeToString(sum[:12]) + `"`
	if matches(in.header.Values("If-None-Match"), out.ETag) {
		out.Status, out.Body, out.ContentType = http.StatusNotModified, nil, ""
	}
	return out, nil
}

// matches compares an ETag with If-None-Match, weakly as RFC 9110 says.
func matches(given []string, tag string) bool {
	for _, line := range given {
		for one := range strings.SplitSeq(line, ",") {
			if one = strings.TrimPrefix(strings.TrimSpace(one), "W/"); one == tag || one == "*" {
				return true
			}
		}
	}
	return false
}

// policyFormat chooses json, yaml or envoy.
func policyFormat(asked []string, accept string) (string, error) {
	switch {
	case len(asked) > 1:
		return "", query.Errors{{Param: "format", Message: "given more than once; give it once"}}
	case len(asked) == 1:
		if !slices.Contains(policyFormats(), asked[0]) {
			return "", query.Errors{{Param: "format", Message: "the policy comes as json, yaml or envoy", Nearest: query.Nearest(asked[0], policyFormats())}}
		}
		return asked[0], nil
	case strings.Contains(accept, "yaml") && !strings.Contains(accept, "json"):
		return "yaml", nil
	}
	return "json", nil
}

// keyFilter reads which keys are asked for: dimensions with one value each.
func (s *Server) keyFilter(in *input) (map[string]string, error) {
	want := map[string]string{}
	var errs query.Errors
	for name, values := range in.values {
		f, ok := s.Fields.Lookup(name)
		switch {
		case !ok || f.Kind != schema.KindDimension:
			names := append(s.Fields.Names(schema.KindDimension), "format")
			errs = append(errs, query.UnknownParam(name, query.Nearest(name, names), []string{"format", "model", "route"}))
		case len(values) != 1 || values[0] == "":
			errs = append(errs, query.ParamError{Param: name, Message: "give one value"})
		case values[0] == query.Missing:
			want[f.Name] = ""
		default:
			want[f.Name] = values[0]
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return want, nil
}

func encodePolicy(format string, p Policy) (body []byte, contentType string, err error) {
	switch format {
	case "envoy":
		return envoy(p), mediaYAML, nil
	case "yaml":
		raw, err := marshal(p)
		if err != nil {
			return nil, "", err
		}
		body, err = yaml.JSONToYAML(raw)
		return body, mediaYAML, err
	}
	body, err = marshal(p)
	return body, formatJSON.contentType(), err
}
