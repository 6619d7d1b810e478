package ingest

import (
	"context"
	"errors"
	"net"
	"sync"
)

// connections remembers a group's connections, so that they can be cut.
type connections struct {
	mu   sync.Mutex
	open map[net.Conn]bool
	shut bool
}

var errCut = errors.New("stopping: no new connection")

func (c *connections) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := dialTCP(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut {
		return nil, errors.Join(errCut, conn.Close())
	}
	c.open[conn] = true
	return &tracked{Conn: conn, from: c}, nil
}

func (c *connections) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = true
	for conn := range c.open {
		_ = conn.Close() // the reader of it gets the error
	}
}

type tracked struct {
	net.Conn
	from *connections
}

// Close forgets the connection.
func (t *tracked) Close() error {
	t.from.mu.Lock()
	delete(t.from.open, t.Conn)
	t.from.mu.Unlock()
	return t.Conn.Close()
}
