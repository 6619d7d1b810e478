package ops

import (
	"context"
	"errors"
	"sync"
)

// Group runs parts side by side until the first of them ends or the context
// does; then it stops the others and waits for them.
type Group struct{ parts []func(context.Context) error }

// Add adds a part. It must return soon after its context ends.
func (g *Group) Add(part func(context.Context) error) { g.parts = append(g.parts, part) }

// Run runs every part and joins their errors, once all have returned.
func (g *Group) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	errs := make([]error, len(g.parts))
	for i, part := range g.parts {
		wg.Go(func() {
			defer cancel()
			errs[i] = part(ctx)
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
