package main

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// bar shows progress in bytes on a terminal, and nothing elsewhere.
type bar struct{ p *progressbar.ProgressBar }

// newBar returns a progress bar over the sizes of the named files.
func newBar(w io.Writer, paths []string) *bar {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &bar{}
	}
	total := int64(0)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil { // standard input: the size is unknown
			total = -1
			break
		}
		total += info.Size()
	}
	return &bar{progressbar.NewOptions64(total, progressbar.OptionSetWriter(w), progressbar.OptionShowBytes(true),
		progressbar.OptionSetDescription("importing"), progressbar.OptionClearOnFinish())}
}

func (b *bar) reader(r io.Reader) io.Reader {
	if b.p == nil {
		return r
	}
	return io.TeeReader(r, b.p)
}

func (b *bar) finish() {
	if b.p != nil {
		_ = b.p.Finish() // the bar is talk: its failure changes nothing
	}
}
