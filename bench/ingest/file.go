package main

import (
	"embed"
	"strings"
)

//go:embed sql collector_readme.yaml collector_tuned.yaml
var files embed.FS

// file returns an embedded file with each {{name}} replaced.
func file(name string, slots map[string]string) string {
	raw, err := files.ReadFile(name)
	if err != nil {
		panic(err) // a name in this package's own code
	}
	text := string(raw)
	for slot, value := range slots {
		text = strings.ReplaceAll(text, "{{"+slot+"}}", value)
	}
	return text
}
