package api

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
)

// Server answers HTTP. It is safe for concurrent use and holds no connection
// of its own.
type Server struct {
	Options
	gate *gate
	// uploadGate keeps decoding from taking the places of questions.
	uploadGate *gate
	held       *held
	ledger     *ledger
	meters     *meters
	repeats    *repeats
	policies   *policyCache
	readTime   time.Duration // for a request's body, unless it holds records
	engine     *gin.Engine
	doc        *huma.OpenAPI
}

// New returns a server with all its routes. Its error names the option that
// is missing or wrong.
func New(o Options) (*Server, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	meters, err := newMeters(o.Metrics)
	if err != nil {
		return nil, err
	}
	s := &Server{Options: o, gate: newGate(o.Limits), uploadGate: newGate(uploadLimits()),
		held: newHeld(o.Records.MaxBody, uploadLimits().QueueTime), ledger: newLedger(o.Now()), meters: meters, repeats: newRepeats(o.Now),
		policies: &policyCache{}, readTime: readTime}
	s.engine = newEngine()
	s.engine.Use(s.identify, s.observe, s.recoverPanics, s.secure, s.bound, s.guardHost, s.guardOrigin, s.authorise)
	api := humagin.New(s.engine, s.humaConfig())
	s.routes(api)
	s.doc = api.OpenAPI()
	pages, err := newDocPages(s.doc)
	if err != nil {
		return nil, err
	}
	site, err := newSite(o.Web)
	if err != nil {
		return nil, err
	}
	pages.mount(s.engine)
	s.engine.GET("/metrics", gin.WrapH(s.metricsHandler()))
	for _, r := range s.engine.Routes() {
		if r.Method == http.MethodGet { // net/http leaves the body out
			s.engine.HEAD(r.Path, r.HandlerFunc)
		}
	}
	s.engine.NoRoute(func(c *gin.Context) { s.fallback(c, site) })
	s.engine.NoMethod(func(c *gin.Context) {
		s.refuse(c, problem("method-not-allowed", c.Request.Method+" is not allowed here; "+c.Writer.Header().Get("Allow")+" is"))
	})
	return s, nil
}

func uploadLimits() Limits {
	return Limits{Concurrency: 4, Queue: 32, QueueTime: 30 * time.Second}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.engine.ServeHTTP(w, r) }

// HTTPServer returns a server for the handler with the time-outs that its
// routes expect; the caller listens and shuts down.
func (s *Server) HTTPServer() *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
}

func newEngine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode) // else gin talks on standard output
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash = false
	e.UseRawPath, e.UnescapePathValues = true, true
	e.ContextWithFallback = false
	return e
}

// humaConfig makes the OpenAPI document without huma's own pages, $schema
// keys and content negotiation: those are served by this package.
func (s *Server) humaConfig() huma.Config {
	c := huma.DefaultConfig("Headway", s.Version)
	c.CreateHooks = nil
	c.DocsPath, c.SchemasPath = "", ""
	c.Info.Description = "Latency analytics and hedge tuning for LLM gateways. Times in: RFC 3339, epoch ms, now-1h, now-7d/d; " +
		"times out: RFC 3339 UTC. Null is no data. Shares are 0 to 1. Errors are RFC 9457 problems."
	c.Transformers = []huma.Transformer{problems}
	return c
}

// problems gives every error the shape of Problem, huma's own included.
func problems(ctx huma.Context, _ string, v any) (any, error) {
	p, ok := v.(*Problem)
	if e, foreign := v.(*huma.ErrorModel); foreign {
		k := kindOfStatus(e.Status)
		p, ok = problem(k.name, e.Detail), true
		p.Status = e.Status
		for _, d := range e.Errors {
			p.Errors = append(p.Errors, ProblemItem{Location: d.Location, Message: d.Message, Nearest: []string{}})
		}
	}
	if !ok {
		return v, nil
	}
	answer := *p
	answer.Instance = requestID(ctx.Context())
	ctx.SetHeader("Content-Type", problemType)
	return &answer, nil
}
