package classify

import "headway/schema"

// InputBand returns the band of a prompt's length: "0-1k", "1-4k", "4-16k",
// "16-64k" or "64k+", and "" where the tokens are unknown. A k is 1,000
// tokens, and an edge belongs to the longer band: 999 is "0-1k", 1,000 is
// "1-4k", 64,000 is "64k+".
func InputBand(tokens schema.Opt[int64]) string {
	switch n := tokens.Value; {
	case !tokens.Valid || n < 0:
		return ""
	case n < 1_000:
		return "0-1k"
	case n < 4_000:
		return "1-4k"
	case n < 16_000:
		return "4-16k"
	case n < 64_000:
		return "16-64k"
	}
	return "64k+"
}

// InputBands lists the bands from short to long prompts.
func InputBands() []string { return []string{"0-1k", "1-4k", "4-16k", "16-64k", "64k+"} }
