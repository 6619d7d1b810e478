package synth

// How a model reasons, if it does.
type reasoning int

const (
	noReasoning     reasoning = iota
	hiddenReasoning           // nothing effective comes before it ends
	shownReasoning            // a summary streams first, text comes after
)

type model struct {
	name, provider   string
	weight           float64
	admission        float64 // median ms to headers
	prefill          float64 // ms for 1,000 uncached prompt tokens
	tps              float64 // median visible tokens a second
	output           float64 // median visible tokens
	reasoning        reasoning
	earlyEvent       bool // a metadata event comes before the prefill
	tellsReasoning   bool // reasoning tokens are reported
	tellsCachedInput bool // cached tokens are reported
}

// The catalogue is immutable; its figures are invented, with the shapes that
// published traces have.
var models = [...]model{
	{"gpt-4o-mini", "openai", 0.24, 180, 18, 85, 180, noReasoning, false, true, true},
	{"gpt-4o", "openai", 0.14, 260, 30, 60, 260, noReasoning, false, true, true},
	{"o4-mini", "openai", 0.08, 300, 18, 95, 220, hiddenReasoning, true, true, true},
	{"claude-sonnet-4", "anthropic", 0.16, 420, 24, 62, 300, noReasoning, true, false, true},
	{"claude-haiku-3-5", "anthropic", 0.10, 280, 14, 80, 180, noReasoning, true, false, true},
	{"gemini-2.5-flash", "google", 0.12, 240, 12, 140, 240, noReasoning, false, true, true},
	{"llama-3.3-70b", "together", 0.09, 150, 28, 48, 220, noReasoning, false, false, false},
	{"deepseek-r1", "together", 0.07, 200, 40, 55, 300, shownReasoning, false, true, false},
}

type channel struct {
	name, provider, region string
	weight                 float64
	factor                 float64 // how its waits compare with the model's median
	tail                   float64 // share of calls with a heavy-tailed wait
	inflight               float64 // calls in flight at load 1
	rtt                    float64 // ms
}

var channels = [...]channel{
	{"ch-1", "openai", "us-east-1", 4, 1.00, 0.006, 40, 12},
	{"ch-2", "openai", "us-east-1", 3, 1.05, 0.008, 30, 12},
	{"ch-3", "openai", "us-west-2", 2, 1.10, 0.012, 20, 40},
	{"ch-4", "openai", "eu-west-1", 3, 1.15, 0.010, 28, 25},
	{"ch-5", "openai", "ap-southeast-1", 1.5, 1.35, 0.020, 14, 70},
	{"ch-6", "anthropic", "us-east-1", 3, 1.00, 0.008, 26, 12},
	{"ch-7", "anthropic", "us-west-2", 2, 1.05, 0.010, 18, 40},
	{"ch-8", "anthropic", "eu-west-1", 2, 1.20, 0.015, 18, 25},
	{"ch-9", "anthropic", "ap-southeast-1", 1, 1.30, 0.020, 9, 70},
	{"ch-10", "google", "us-east-1", 2, 1.00, 0.006, 16, 12},
	{"ch-11", "google", "eu-west-1", 1.5, 1.10, 0.008, 12, 25},
	{"ch-12", "google", "ap-southeast-1", 1, 1.20, 0.012, 8, 70},
	{"ch-13", "together", "us-east-1", 2, 1.00, 0.020, 12, 12},
	{"ch-14", "together", "us-west-2", 1.5, 1.15, 0.030, 9, 40},
	{"ch-15", "together", "eu-west-1", 1, 1.25, 0.040, 6, 25},
}

type route struct {
	name          string
	weight        float64
	stream, tools float64    // shares of requests
	prompts       [4]float64 // weights of promptSizes
	timeout       float64    // ms from dispatch to the first output
	hedgeAfter    float64    // ms from dispatch, 0 for none
}

var routes = [...]route{
	{"default", 0.40, 0.85, 0.10, [4]float64{0.60, 0.28, 0.10, 0.02}, 30_000, 0},
	{"chat", 0.25, 0.98, 0.05, [4]float64{0.75, 0.20, 0.045, 0.005}, 30_000, 0},
	{"agent", 0.18, 0.90, 0.80, [4]float64{0.15, 0.45, 0.33, 0.07}, 60_000, 0},
	{"batch", 0.10, 0.10, 0.02, [4]float64{0.30, 0.40, 0.25, 0.05}, 120_000, 0},
	{"core", 0.07, 1.00, 0.00, [4]float64{0.70, 0.27, 0.03, 0}, 30_000, 1500},
}

// promptSizes are the log-normal parts of the mixture of prompt lengths.
var promptSizes = [4]struct{ median, sigma float64 }{{350, 0.9}, {2_500, 0.6}, {11_000, 0.5}, {80_000, 0.35}}

// maxPrompt is the longest prompt in tokens.
const maxPrompt = 200_000

// gateway instances differ in what they write: older ones lack the dispatch's
// offset, or the rate.
type gateway struct {
	name           string
	weight         float64
	tellsDispatch  bool
	tellsRate      bool
	countsFailures bool // prompt tokens are known for failed calls too
}

var gateways = [...]gateway{
	{"gw-1", 0.32, true, true, true},
	{"gw-2", 0.30, true, true, true},
	{"gw-3", 0.22, true, false, false},
	{"gw-4", 0.16, false, false, false},
}

type client struct {
	region string
	weight float64
	speed  float64 // bytes a ms of its uploads
}

var clients = [...]client{{"us", 0.45, 8_000}, {"eu", 0.30, 6_000}, {"ap", 0.17, 3_000}, {"sa", 0.08, 2_000}}

var (
	efforts      = [...]string{"low", "medium", "high"}
	effortTokens = [...]float64{60, 180, 500} // median reasoning tokens
	outputLimits = [...]int64{512, 1024, 2048, 4096}
	temperatures = [...]float64{0, 0.2, 0.7, 1}
)

// reasoningTPS is how fast reasoning tokens come.
const reasoningTPS = 160
