package docs

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFindTakesOnlyMarkedBlocks(t *testing.T) {
	root := fstest.MapFS{
		"README.md":          {Data: []byte("# A\n\n```sh\nmake up\n```\n\n```sh ci\ncurl a \\\n  -d x\nheadway b\n```\n")},
		"docs/deep/guide.md": {Data: []byte("1. Do\n   ```sh ci\n   cat <<E\n     kept\n   E\n   ```\n````text\n```sh ci\nquoted\n```\n````\n")},
		"docs/data.txt":      {Data: []byte("```sh ci\nno Markdown\n```\n")},
		"other.md":           {Data: []byte("```sh ci\nno documentation\n```\n")},
	}
	got, err := Find(root)
	want := []Block{
		{"README.md", 8, "curl a \\\n  -d x\nheadway b\n"},
		{"docs/deep/guide.md", 3, "cat <<E\n  kept\nE\n"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("blocks %+v, error %v; want %+v", got, err, want)
	}
}

func TestFindRefusesWhatWouldBePassedOver(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"other shell", "```bash ci\nx\n```\n", "README.md:1: bad block: \"bash ci\" is not run; write ```sh ci"},
		{"capitals", "\n```sh CI\nx\n```\n", "README.md:2"},
		{"more words", "```sh ci slow\nx\n```\n", "is not run"},
		{"open fence", "a\n```sh ci\nx\n", "README.md:2: bad block: the fence is never closed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Find(fstest.MapFS{"README.md": {Data: []byte(tc.text)}})
			if !errors.Is(err, ErrBadBlock) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want ErrBadBlock with %q", err, tc.want)
			}
		})
	}
	if _, err := Find(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "README.md") {
		t.Errorf("error %v, want one for the missing README.md", err)
	}
}
