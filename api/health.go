package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Health answers GET healthz: the process is up.
type Health struct {
	Status  string `json:"status" doc:"ok"`
	Version string `json:"version"`
}

// Readiness answers GET readyz with 200 when every component is ready, 503
// otherwise.
type Readiness struct {
	Ready      bool        `json:"ready"`
	Components []Component `json:"components"`
}

// Component is one part of the process with what is wrong with it.
type Component struct {
	Component string `json:"component"`
	Ready     bool   `json:"ready"`
	Reason    string `json:"reason" doc:"What is wrong and the remedy; empty when ready. Where access tokens are set, only their holders see it."`
	Since     string `json:"since" format:"date-time"`
}

type healthOutput struct{ Body Health }

type readinessOutput struct {
	Status int
	Body   Readiness
}

func (s *Server) registerHealth(api huma.API) {
	health := huma.Operation{OperationID: "get-healthz", Method: http.MethodGet, Path: "/healthz", Summary: "The process is up", Tags: []string{"process"}}
	huma.Register(api, health, func(context.Context, *struct{}) (*healthOutput, error) {
		return &healthOutput{Body: Health{Status: "ok", Version: s.Version}}, nil
	})
	ready := huma.Operation{OperationID: "get-readyz", Method: http.MethodGet, Path: "/readyz", Summary: "Whether every part is ready, with reasons", Tags: []string{"process"}}
	huma.Register(api, ready, func(ctx context.Context, _ *struct{}) (*readinessOutput, error) {
		body := presentReadiness(s.Components.Components(), s.insider(ctx))
		status := http.StatusOK
		if !body.Ready {
			status = http.StatusServiceUnavailable
		}
		return &readinessOutput{Status: status, Body: body}, nil
	})
}

// withheld stands for reasons, which name addresses and accounts.
const withheld = "ask with a token to see why"

// presentReadiness is ready when there is a part and every part is ready.
// Reasons are shown to insiders alone.
func presentReadiness(states []ComponentState, insider bool) Readiness {
	out := Readiness{Ready: len(states) > 0, Components: []Component{}}
	for _, st := range states {
		out.Ready = out.Ready && st.Ready
		if !insider && st.Reason != "" {
			st.Reason = withheld
		}
		out.Components = append(out.Components, Component{Component: st.Component, Ready: st.Ready, Reason: st.Reason, Since: stamp(st.Since)})
	}
	return out
}
