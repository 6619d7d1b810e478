package engine_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"headway/engine"
)

// greet says hello as a native client and returns what came back, nothing
// where the connection was turned away.
func greet(ctx context.Context, addr, user, password, database string) string {
	c, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return ""
	}
	defer c.Close()
	if c.SetDeadline(time.Now().Add(10*time.Second)) != nil {
		return ""
	}
	if _, err := c.Write(helloPacket(user, password, database)); err != nil {
		return ""
	}
	answer := make([]byte, 4096)
	n, _ := c.Read(answer) // a connection that ends has said nothing
	return string(answer[:n])
}

// TestDatabaseNeverSeemsMissing has clients come all the time while the engine
// is killed: each is served or turned away, none told that there is no such
// database.
func TestDatabaseNeverSeemsMissing(t *testing.T) {
	t.Parallel()
	const crashes = 3
	c := start(t, engine.Options{})
	query(t, c, "CREATE DATABASE headway")
	query(t, c, "CREATE DATABASE `headway-ü %`") // its file's name is escaped
	query(t, c, "CREATE TABLE headway.t (x Int64) ENGINE = MergeTree ORDER BY x")
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var served, missing atomic.Int64
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for ctx.Err() == nil {
				switch answer := greet(ctx, c.NativeAddr(), c.User(), c.Password(), "headway"); {
				case strings.Contains(answer, "UNKNOWN_DATABASE"):
					missing.Add(1)
				case answer != "" && answer[0] == 0:
					served.Add(1)
				}
			}
		})
	}
	for crash := 1; crash <= crashes; crash++ {
		down := c.Down()
		if err := syscall.Kill(c.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		select {
		case <-down:
		case <-ctx.Done():
			t.Fatal("Down is not closed after the kill")
		}
		if err := c.Ready(ctx); err != nil {
			t.Fatal(err)
		}
		select {
		case <-c.Down():
			t.Error("Down is closed while the database serves")
		default:
		}
		if got := query(t, c, "SELECT count() FROM headway.t"); got != "0" {
			t.Errorf("%s rows after crash %d", got, crash)
		}
	}
	stop()
	clients.Wait()
	if missing.Load() > 0 || served.Load() == 0 || c.Restarts() != crashes {
		t.Errorf("%d clients were told that the database does not exist, %d were served, over %d restarts", missing.Load(), served.Load(), c.Restarts())
	}
}
