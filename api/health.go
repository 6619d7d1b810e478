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
	Reason    string `json:"reason" doc:"What is wrong and the remedy; empty when ready."`
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
	huma.Register(api, ready, func(context.Context, *struct{}) (*readinessOutput, error) {
		body := presentReadiness(s.Components.Components())
		status := http.StatusOK
		if !body.Ready {
			status = http.StatusServiceUnavailable
		}
		return &readinessOutput{Status: status, Body: body}, nil
	})
}

// presentReadiness is ready when there is a part and every part is ready.
func presentReadiness(states []ComponentState) Readiness {
	out := Readiness{Ready: len(states) > 0, Components: []Component{}}
	for _, st := range states {
		out.Ready = out.Ready && st.Ready
		out.Components = append(out.Components, Component{Component: st.Component, Ready: st.Ready, Reason: st.Reason, Since: stamp(st.Since)})
	}
	return out
}
