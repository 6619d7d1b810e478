package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// site is the dashboard's files, held in memory with their tags.
type site struct {
	files map[string]file
}

type file struct {
	body        []byte
	contentType string
	tag         string
	pinned      bool // the name carries a hash of the content
}

const indexPage = "index.html"

func newSite(tree fs.FS) (*site, error) {
	s := &site{files: map[string]file{}}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		kind := mime.TypeByExtension(path.Ext(name))
		if kind == "" {
			kind = http.DetectContentType(body)
		}
		s.files[name] = file{body: body, contentType: kind, tag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`, pinned: hashed(name)}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the dashboard's files: %w", err)
	}
	if _, ok := s.files[indexPage]; !ok {
		return nil, errors.New("the dashboard's files have no index.html: build them again")
	}
	return s, nil
}

// hashed tells names that esbuild gives ("app-3FQ2ZK7A.js"): they change with
// the content and may be kept for ever.
func hashed(name string) bool {
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	i := strings.LastIndexByte(stem, '-')
	if i < 0 || len(stem)-i-1 != 8 {
		return false
	}
	for _, c := range stem[i+1:] {
		if (c < 'A' || c > 'Z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}

// serve answers with the file of the path, or with the index page where the
// path looks like one of the dashboard's own addresses; else it returns
// false.
func (s *site) serve(w http.ResponseWriter, r *http.Request) bool {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	f, ok := s.files[name]
	if !ok {
		if path.Ext(name) != "" || strings.HasPrefix(name, "docs/") {
			return false
		}
		f = s.files[indexPage]
	}
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("ETag", f.tag)
	h.Set("Cache-Control", "no-cache")
	if f.pinned {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
	return true
}
