// Package docs finds the commands that README.md and docs/ promise to work:
// fenced blocks that start with "```sh ci". Its tests run them against a real
// `headway up`; it checks no other block and no prose.
package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// marker is the info string of a block that is run. Markdown viewers colour it
// by its first word and show nothing of the second.
const marker = "sh ci"

// ErrBadBlock is returned for a fence that is never closed or marked wrongly.
var ErrBadBlock = errors.New("bad block")

// Block is one fenced block of shell commands.
type Block struct {
	File string // slash-separated, from the repository's root
	Line int    // of its first command, from 1
	Text string // the commands, without the indentation of the fence
}

// Find returns the marked blocks of README.md and of every Markdown file below
// docs/, in order of file and line.
func Find(root fs.FS) ([]Block, error) {
	files := []string{"README.md"}
	err := fs.WalkDir(root, "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".md" {
			files = append(files, name)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing docs/: %w", err)
	}
	var out []Block
	for _, file := range files {
		raw, err := fs.ReadFile(root, file)
		if err != nil {
			return nil, fmt.Errorf("reading the documentation: %w", err)
		}
		blocks, err := parse(file, string(raw))
		if err != nil {
			return nil, err
		}
		out = append(out, blocks...)
	}
	return out, nil
}

// parse returns the marked blocks of one file. Errors wrap ErrBadBlock.
func parse(file, text string) ([]Block, error) {
	var out []Block
	var fence, info, indent string // of the block we are in; fence is empty outside
	var body []string
	opened := 0
	for i, line := range strings.Split(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		run := len(bare) - len(strings.TrimLeft(bare, "`"))
		switch {
		case fence == "" && run >= 3:
			fence, info, indent = bare[:run], strings.TrimSpace(bare[run:]), line[:len(line)-len(bare)]
			opened, body = i+1, nil
			if err := checkInfo(info); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, opened, err)
			}
		case fence != "" && run >= len(fence) && strings.Trim(bare, "` ") == "":
			if info == marker {
				out = append(out, Block{file, opened + 1, strings.Join(body, "\n") + "\n"})
			}
			fence = ""
		case fence != "":
			body = append(body, strings.TrimPrefix(line, indent))
		}
	}
	if fence != "" {
		return nil, fmt.Errorf("%s:%d: %w: the fence is never closed", file, opened, ErrBadBlock)
	}
	return out, nil
}

// checkInfo refuses what was meant as the marker and would be passed over.
func checkInfo(info string) error {
	words := strings.Fields(strings.ToLower(info))
	if info != marker && len(words) > 1 && words[1] == "ci" {
		return fmt.Errorf("%w: %q is not run; write ```%s", ErrBadBlock, info, marker)
	}
	return nil
}
