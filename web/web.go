// Package web holds the dashboard: its source, its build and the embedded
// files. It serves nothing by itself.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

//go:embed unbuilt/index.html
var unbuilt embed.FS

// Files returns the built dashboard with index.html at its root. Without a
// build it holds one page that says how to make it.
func Files() fs.FS {
	tree, dir := dist, "dist"
	if !Built() {
		tree, dir = unbuilt, "unbuilt"
	}
	sub, err := fs.Sub(tree, dir)
	if err != nil {
		panic("web: " + err.Error()) // dir is a constant, valid path
	}
	return sub
}

// Built reports whether the binary holds the dashboard.
func Built() bool {
	_, err := fs.Stat(dist, "dist/index.html")
	return err == nil
}
