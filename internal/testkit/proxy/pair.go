package proxy

import (
	"bufio"
	"context"
	"net"
	"sync"
	"time"
)

// pair is a client's connection and the one to the server that it leads to.
type pair struct {
	proxy          *Proxy
	client, server net.Conn
	ctx            context.Context
	cancel         context.CancelFunc

	mu   sync.Mutex
	turn turn
	hush *time.Timer // ends the pair when a lost answer is over
	// quiet is how long that waits from each read on.
	quiet time.Duration
}

// parcel is what one read brought, and when it is due on the other side: at a
// time, and not before held is closed.
type parcel struct {
	bytes []byte
	due   time.Time
	held  <-chan struct{} // nil where it isn't
}

// run passes both directions on until both have ended or one broke.
func (c *pair) run() {
	ended := context.AfterFunc(c.ctx, c.reset)
	var lanes sync.WaitGroup
	lanes.Go(func() { c.lane(c.client, c.server, func(f Fault) Lane { return f.Up }, c.sent) })
	lanes.Go(func() { c.lane(c.server, c.client, func(f Fault) Lane { return f.Down }, c.answered) })
	lanes.Wait()
	ended()
	c.cancel()
	_ = c.client.Close() // both are read to their end or reset
	_ = c.server.Close()
}

// reset ends both sides at once.
func (c *pair) reset() {
	c.cancel()
	reset(c.client)
	reset(c.server)
}

// lane moves bytes from one side to the other. take sees them as they come:
// it returns false for those that are lost, and what holds others back.
func (c *pair) lane(from, to net.Conn, of func(Fault) Lane, take func([]byte) (bool, <-chan struct{})) {
	parcels := make(chan parcel, 64)
	go func() {
		defer close(parcels)
		c.collect(from, of, take, parcels)
	}()
	for p := range parcels {
		if c.deliver(to, of, p) != nil {
			c.reset()
		}
	}
	if c.open(of) != nil {
		return
	}
	if tcp, ok := to.(*net.TCPConn); ok {
		_ = tcp.CloseWrite() // the other side may be gone
	}
}

// collect reads until the side ends.
func (c *pair) collect(from net.Conn, of func(Fault) Lane, take func([]byte) (bool, <-chan struct{}), out chan<- parcel) {
	next := reads(from)
	if c.proxy.rewrite != nil {
		next = frames(bufio.NewReaderSize(from, frameBuffer))
	}
	for {
		b, err := next()
		if pass, held := take(b); pass && len(b) > 0 {
			f, _ := c.proxy.state()
			select {
			case out <- parcel{b, time.Now().Add(c.proxy.wait(of(f))), held}:
			case <-c.ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// sent looks at what goes up.
func (c *pair) sent(b []byte) (bool, <-chan struct{}) {
	if len(b) == 0 {
		return false, nil
	}
	f, changed := c.proxy.state()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.turn.sent(f.Loss, b) || !c.proxy.spend(f.Loss):
		return true, nil
	case f.Loss.Way == RequestLost:
		c.reset()
		return false, nil
	}
	return true, changed
}

// answered looks at what comes down.
func (c *pair) answered(b []byte) (bool, <-chan struct{}) {
	if len(b) == 0 {
		return false, nil
	}
	f, _ := c.proxy.state()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.hush != nil: // being lost already: the server is not silent yet
		c.hush.Reset(c.quiet)
		return false, nil
	case c.turn.answered(f.Loss) && c.proxy.spend(f.Loss):
		c.quiet = f.Loss.quiet()
		c.hush = time.AfterFunc(c.quiet, c.reset)
		return false, nil
	}
	if c.proxy.rewrite != nil {
		c.proxy.rewrite(b)
	}
	return true, nil
}

// deliver writes a parcel when it is due, at the lane's rate.
func (c *pair) deliver(to net.Conn, of func(Fault) Lane, p parcel) error {
	if p.held != nil {
		select {
		case <-p.held:
		case <-c.ctx.Done():
		}
	}
	if err := c.pause(time.Until(p.due)); err != nil {
		return err
	}
	for rest := p.bytes; len(rest) > 0; {
		if err := c.open(of); err != nil {
			return err
		}
		f, _ := c.proxy.state()
		piece := rest
		if rate := of(f).Rate; rate > 0 {
			piece = rest[:min(len(rest), max(1, rate/piecesPerSecond))]
			if err := c.pause(time.Duration(len(piece)) * time.Second / time.Duration(rate)); err != nil {
				return err
			}
		}
		if _, err := to.Write(piece); err != nil {
			return err
		}
		rest = rest[len(piece):]
	}
	return nil
}

const piecesPerSecond = 20

// open waits while the lane is a hole.
func (c *pair) open(of func(Fault) Lane) error {
	for {
		f, changed := c.proxy.state()
		if !of(f).Hole {
			return c.ctx.Err()
		}
		select {
		case <-changed:
		case <-c.ctx.Done():
			return c.ctx.Err()
		}
	}
}

func (c *pair) pause(d time.Duration) error {
	if d <= 0 {
		return c.ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}
