package schema

import "bytes"

func parseRole(b []byte) (Role, bool) {
	switch string(b) {
	case "", string(RolePrimary):
		return RolePrimary, true
	case string(RoleBackup):
		return RoleBackup, true
	case string(RoleRetry):
		return RoleRetry, true
	}
	return RolePrimary, false
}

func parseOutcome(b []byte) (Outcome, bool) {
	for _, o := range [...]Outcome{"", OutcomeCompleted, OutcomeClientCancelled, OutcomeUpstreamClosed, OutcomeTimeout,
		OutcomeError, OutcomeRateLimited, OutcomeSuperseded} {
		if string(o) == string(b) {
			return o, true
		}
	}
	return "", false
}

func parseStartPoint(b []byte) StartPoint {
	for _, p := range [...]StartPoint{StartHandler, StartAfterDistribution, StartFilterHeaders, StartClient, StartAttempt} {
		if string(p) == string(b) {
			return p
		}
	}
	return ""
}

var (
	primarySuffix = []byte("-primary")
	backupSuffix  = []byte("-backup")
)

// readID reads a request id without its role suffix. Suffixes are cut until
// none is left, before and after the cut at MaxID, so that an id read twice
// stays the same; the outermost names the role.
func (d *Decoder) readID(t *token) (id string, role Role) {
	if t.kind != '"' {
		return "", ""
	}
	b := clean(&d.scratch, t, len(t.raw)*3) // an invalid byte becomes three
	b, role = splitRole(b)
	if len(b) > MaxID {
		b, _ = splitRole(cleanText(b, MaxID))
	}
	return string(b), role
}

func splitRole(b []byte) ([]byte, Role) {
	var outer Role
	for {
		role := Role("")
		switch {
		case bytes.HasSuffix(b, primarySuffix):
			b, role = b[:len(b)-len(primarySuffix)], RolePrimary
		case bytes.HasSuffix(b, backupSuffix):
			b, role = b[:len(b)-len(backupSuffix)], RoleBackup
		default:
			return b, outer
		}
		if outer == "" {
			outer = role
		}
	}
}
