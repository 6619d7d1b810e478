package api

// Cost is what the hedges of the window would have added, summed over the
// hedged requests. A sum is null where no hedged row has tokens recorded.
type Cost struct {
	Hedges                int64    `json:"hedges"`
	KnownTokens           int64    `json:"known_tokens" doc:"Hedged rows with input tokens recorded; where below hedges, the sums are at least so much."`
	ExtraInputTokens      *int64   `json:"extra_input_tokens"`
	ExtraInputShare       *float64 `json:"extra_input_share" doc:"Of the input tokens of all rows with tokens, 0 to 1."`
	ExtraOutputTokensLow  *int64   `json:"extra_output_tokens_low" doc:"Cancelling is honoured, save where the provider is known to bill in full."`
	ExtraOutputTokensHigh *int64   `json:"extra_output_tokens_high" doc:"Cancelling is not honoured, save where the provider is known to honour it."`
	Currency              *string  `json:"currency"`
	MoneyLow              *float64 `json:"money_low" doc:"In currency; null without a price of the key's model (hedge.prices)."`
	MoneyHigh             *float64 `json:"money_high"`
	MoneyShareLow         *float64 `json:"money_share_low" doc:"Of what the window's requests cost, 0 to 1."`
	MoneyShareHigh        *float64 `json:"money_share_high"`
}

// SingleR is a policy that sends the backup with a chance.
type SingleR struct {
	HedgeAfterMs float64  `json:"hedge_after_ms"`
	Q            float64  `json:"q" doc:"Chance of sending the backup once hedge_after_ms has passed, 0 to 1."`
	SentRatio    float64  `json:"sent_ratio" doc:"Share of requests for which a backup is sent, 0 to 1."`
	TargetMs     *float64 `json:"target_ms" doc:"The target quantile under the policy, independent backup."`
}

// Walk is a walk-forward: each day's delay comes from the seven days before
// it, and is held against what the day did.
type Walk struct {
	Expected float64   `json:"expected_ratio" doc:"Trigger ratio pooled over the days."`
	Realised float64   `json:"realised_ratio"`
	Low      float64   `json:"low" doc:"95 % bound of the realised ratio where nothing changes from day to day."`
	High     float64   `json:"high"`
	P        float64   `json:"p" doc:"Chance of a realised ratio so far off."`
	Adjusted float64   `json:"p_adjusted" doc:"The same, corrected for the keys asked for together (Holm)."`
	Days     []WalkDay `json:"days"`
}

// WalkDay is one day of a walk-forward.
type WalkDay struct {
	Day          string   `json:"day" format:"date"`
	TrainN       int64    `json:"train_n"`
	N            int64    `json:"n"`
	HedgeAfterMs *float64 `json:"hedge_after_ms"`
	Expected     float64  `json:"expected_ratio"`
	Realised     float64  `json:"realised_ratio"`
	Low          *float64 `json:"low"`
	High         *float64 `json:"high"`
}

// Bands says how a key's rows differ by input size.
type Bands struct {
	// Differ is true where one threshold hedges the long prompts and few
	// others.
	Differ bool   `json:"differ" doc:"Whether one threshold hedges mostly the long prompts."`
	Note   string `json:"note"`
	Bands  []Band `json:"bands"`
}

// Band is the rows of one input size.
type Band struct {
	Band         string   `json:"band"`
	N            int64    `json:"n"`
	Share        float64  `json:"share" doc:"Of the key's rows, 0 to 1."`
	HedgeAfterMs *float64 `json:"hedge_after_ms" doc:"The band's own P90; null below its point minimum."`
	Interval     Interval `json:"interval" doc:"95 % interval of hedge_after_ms."`
	TriggerRatio *float64 `json:"trigger_ratio" doc:"Share of the band's requests that the key's one delay would hedge."`
	HedgeShare   *float64 `json:"hedge_share" doc:"Share of all hedges that fall into the band."`
}

// Channel is where primaries of a key run.
type Channel struct {
	Channel string  `json:"channel"`
	N       int64   `json:"n"`
	Queue   *string `json:"queue" doc:"The upstream queue it waits in (hedge.channels); null where not configured."`
}
