package classify

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// codeVersion is raised whenever the rules' code changes a verdict.
const codeVersion = "1"

// Rules are the thresholds for all records and their exceptions. The most
// specific value wins, threshold by threshold: a model's over a route's over
// Default over the built-in one. Models come before routes because how long a
// model needs is a property of the model on whichever route it is called.
type Rules struct {
	Default Settings            `yaml:"default" json:"default"`
	Routes  map[string]Settings `yaml:"routes" json:"routes"`
	Models  map[string]Settings `yaml:"models" json:"models"`
}

// DefaultRules returns every threshold at its built-in value, no exceptions.
func DefaultRules() Rules {
	d := make(Settings, len(settings))
	for _, s := range settings {
		d[s.Name] = s.Default
	}
	return Rules{Default: d}
}

// Validate returns every mistake at once, each with its key and the remedy.
func (r Rules) Validate() error {
	errs := r.Default.validate("default")
	for _, level := range []struct {
		key string
		by  map[string]Settings
	}{{"routes", r.Routes}, {"models", r.Models}} {
		for _, name := range slices.Sorted(maps.Keys(level.by)) {
			if name == "" {
				errs = append(errs, fmt.Errorf("%s: an empty name matches nothing; name one of the %s", level.key, level.key))
				continue
			}
			errs = append(errs, level.by[name].validate(level.key+"."+name)...)
		}
	}
	return errors.Join(errs...)
}

func (s Settings) validate(at string) []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(s)) {
		def, known := settingNamed(name)
		v := s[name]
		switch {
		case !known:
			errs = append(errs, fmt.Errorf("%s.%s: no threshold has this name; use %s", at, name, nearest(name)))
		case math.IsNaN(v) || math.IsInf(v, 0) || v <= 0:
			errs = append(errs, fmt.Errorf("%s.%s %v: a threshold must be a number above 0; the default is %v", at, name, v, def.Default))
		case def.time != nil && v > longestMillis:
			errs = append(errs, fmt.Errorf("%s.%s %v: no record lasts longer than %.0f ms, so it could never be met; lower it", at, name, v, longestMillis))
		case def.time != nil && v < 0.001:
			errs = append(errs, fmt.Errorf("%s.%s %v: times are kept in microseconds; give at least 0.001", at, name, v))
		}
	}
	return errs
}

// Version names the rules: the code's version and a hash of every threshold.
// Equal thresholds have equal versions, whatever order they were written in.
func (r Rules) Version() string {
	var b strings.Builder
	write := func(level, name string, s Settings) {
		for _, key := range slices.Sorted(maps.Keys(s)) {
			b.WriteString(level + "\x00" + name + "\x00" + key + "=" + strconv.FormatFloat(s[key], 'g', -1, 64) + "\n")
		}
	}
	full := DefaultRules().Default
	maps.Copy(full, r.Default)
	write("default", "", full)
	for _, name := range slices.Sorted(maps.Keys(r.Routes)) {
		write("route", name, r.Routes[name])
	}
	for _, name := range slices.Sorted(maps.Keys(r.Models)) {
		write("model", name, r.Models[name])
	}
	sum := sha256.Sum256([]byte(b.String()))
	return codeVersion + "-" + hex.EncodeToString(sum[:4])
}

// nearest names the threshold with the most letter pairs in common with a
// mistyped one, or the whole list where none resembles it.
func nearest(name string) string {
	best, score := "", 0.0
	var all []string
	for _, s := range settings {
		all = append(all, s.Name)
		if like := likeness(name, s.Name); like > score {
			best, score = s.Name, like
		}
	}
	if score >= 0.5 {
		return best
	}
	return "one of " + strings.Join(all, ", ")
}

// likeness is the Dice coefficient of the letter pairs of two words, 0 to 1
// (Dice, Ecology 26, 1945).
func likeness(a, b string) float64 {
	pairs := make(map[string]int, len(a))
	for i := 0; i+1 < len(a); i++ {
		pairs[a[i:i+2]]++
	}
	common := 0
	for i := 0; i+1 < len(b); i++ {
		if pairs[b[i:i+2]] > 0 {
			pairs[b[i:i+2]]--
			common++
		}
	}
	if len(a)+len(b) <= 2 {
		return 0
	}
	return 2 * float64(common) / float64(len(a)+len(b)-2)
}
