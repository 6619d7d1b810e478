package api

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
