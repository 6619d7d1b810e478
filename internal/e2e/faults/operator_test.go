package faults

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fault is one way to break the database under the ingester, and to mend it.
type fault struct {
	name         string
	inject, mend func(l *lab)
	class        string   // metric label and log attribute
	words        []string // in the reason of /readyz: what is wrong, and the remedy
	changes      int      // most lines in the log about the store; a fault that comes with a restart of the engine has more
}

// profile is users.xml with settings of the working account.
func profile(settings string) string {
	return `<clickhouse><profiles><faulty><profile>default</profile>` + settings + `</faulty></profiles>
<users><headway><profile replace="1">faulty</profile></headway></users></clickhouse>`
}

// byReboot is a fault that the engine reads at its start.
func byReboot(f fault, folder, text string) fault {
	f.inject = func(l *lab) { l.configure(folder, text); l.reboot() }
	f.mend = func(l *lab) { l.configure(folder, ""); l.reboot() }
	f.changes = 6 // it is down, it is faulty, it is down, it goes on; and a connection of before may end late
	return f
}

func bySQL(f fault, inject, mend []string) fault {
	do := func(statements []string) func(*lab) {
		return func(l *lab) {
			for _, s := range statements {
				l.sql(s)
			}
		}
	}
	f.inject, f.mend, f.changes = do(inject), do(mend), 2
	return f
}

func operatorFaults() []fault {
	return []fault{
		{name: "password changed", inject: func(l *lab) { l.password("-another-that-nobody-knows") }, mend: func(l *lab) { l.password("") },
			class: "operator_fault", words: []string{"code 516", "check clickhouse.user and its password"}, changes: 6},
		bySQL(fault{name: "table renamed away", class: "operator_fault", words: []string{"code 60", "run `headway migrate`"}},
			[]string{"RENAME TABLE requests TO away"}, []string{"RENAME TABLE away TO requests"}),
		bySQL(fault{name: "column missing", class: "operator_fault", words: []string{"stage", "run `headway migrate`"}},
			[]string{"ALTER TABLE requests RENAME COLUMN stage TO stage_away"}, []string{"ALTER TABLE requests RENAME COLUMN stage_away TO stage"}),
		byReboot(fault{name: "account readonly=1", class: "operator_fault", words: []string{"code 164", "set readonly to 0"}}, "users.d", profile("<readonly>1</readonly>")),
		byReboot(fault{name: "account readonly=2", class: "operator_fault", words: []string{"code 164", "set readonly to 0"}}, "users.d", profile("<readonly>2</readonly>")),
		bySQL(fault{name: "table read-only", class: "operator_fault", words: []string{"code 774", "table_readonly = 0"}},
			[]string{"ALTER TABLE requests MODIFY SETTING table_readonly = 1"}, []string{"ALTER TABLE requests MODIFY SETTING table_readonly = 0"}),
		byReboot(fault{name: "no space left to keep free", class: "retry", words: []string{"code 243", "free disk space"}}, "config.d",
			"<clickhouse><storage_configuration><disks><default><keep_free_space_bytes>1000000000000000</keep_free_space_bytes></default></disks></storage_configuration></clickhouse>"),
		bySQL(fault{name: "too many parts", class: "retry", words: []string{"code 252", "let merges catch up"}},
			[]string{"SYSTEM STOP MERGES requests", "ALTER TABLE requests MODIFY SETTING parts_to_delay_insert = 1, parts_to_throw_insert = 1"},
			[]string{"ALTER TABLE requests RESET SETTING parts_to_delay_insert, parts_to_throw_insert", "SYSTEM START MERGES requests"}),
		byReboot(fault{name: "memory limit", class: "retry", words: []string{"code 241", "more memory"}}, "users.d",
			profile("<max_memory_usage>8000000</max_memory_usage><max_untracked_memory>1</max_untracked_memory>")),
	}
}

// password restarts the engine with a password that the ingester does not
// know; an empty end gives it the old one again.
func (l *lab) password(end string) {
	l.t.Helper()
	path := filepath.Join(l.dir, "password")
	raw, err := os.ReadFile(path)
	if err != nil {
		l.t.Fatal(err)
	}
	l.stopEngine()
	old, _, _ := strings.Cut(strings.TrimSpace(string(raw)), "-")
	if err := os.WriteFile(path, []byte(old+end+"\n"), 0o600); err != nil {
		l.t.Fatal(err)
	}
	l.startEngine()
}

// TestOperatorFaults breaks the database while records flow: /readyz says
// what is wrong and what to do, the log says it once, a metric counts, and
// once it is mended every record is in, once, without a restart.
func TestOperatorFaults(t *testing.T) {
	for _, f := range operatorFaults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, t.TempDir(), false)
			l.ingest()
			records := l.begin(200, now)
			l.flowing()
			l.suffer(f)
			records.settled()
			l.tellsOnce(f.changes)
		})
	}
}

// flowing waits until rows land and /readyz is content.
func (l *lab) flowing() {
	l.t.Helper()
	l.eventually("ready, with rows", func() error {
		if l.metric("headway_rows_inserted_total", "") < 100 {
			return errNotYet
		}
		return l.ready()
	})
}

// suffer injects a fault, waits until it is told, and mends it.
func (l *lab) suffer(f fault) {
	l.t.Helper()
	before := l.metric("headway_insert_errors_total", `class="`+f.class+`"`)
	f.inject(l)
	injected := time.Now()
	var reason string
	l.eventually("readiness tells of it", func() (err error) { reason, err = l.refuses(f.words); return err })
	told := time.Since(injected)
	l.eventually("further tries", func() error { // a line for each would show
		if l.metric("headway_insert_errors_total", `class="`+f.class+`"`) < before+6 {
			return errNotYet
		}
		return nil
	})
	counted := l.metric("headway_insert_errors_total", `class="`+f.class+`"`) - before
	f.mend(l)
	mended := time.Now()
	l.eventually("ready again", l.ready)
	recovered := time.Since(mended)
	_, lines := l.changes()
	l.t.Logf("fault: %s\n/readyz after %.1f s: 503, ingest: %s\nlog:\n  %s\nmetric: headway_insert_errors_total{class=%q} +%.0f\nready again %.1f s after mending, without a restart",
		f.name, told.Seconds(), reason, strings.Join(lines, "\n  "), f.class, counted, recovered.Seconds())
}
