package schema

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestParseTimeAgreesWithTimePackage compares with time.Parse over random
// times, zones and days that do and don't exist.
func TestParseTimeAgreesWithTimePackage(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	two := func(max int) string { return string([]byte{byte('0' + max/10), byte('0' + max%10)}) }
	for range 50_000 {
		y := 1000 + rng.IntN(9000)
		text := two(y/100) + two(y%100) + "-" + two(1+rng.IntN(13)) + "-" + two(rng.IntN(33)) + "T" + two(rng.IntN(25)) + ":" + two(rng.IntN(61)) + ":" + two(rng.IntN(60)) +
			[]string{"", ".5", ".123456789", ".999999"}[rng.IntN(4)] + []string{"Z", "+05:30", "-12:00", "+00:00"}[rng.IntN(4)]
		got, why := parseTime([]byte(text), nil)
		want, err := time.Parse(time.RFC3339Nano, text)
		if (why == "") != (err == nil) {
			t.Fatalf("%s: reason %q, time.Parse says %v", text, why, err)
		}
		if err == nil && (!got.Equal(want.Truncate(time.Millisecond)) || got.Location() != time.UTC) {
			t.Fatalf("%s read as %s, want %s", text, got, want)
		}
	}
}
