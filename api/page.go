package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"headway/query"
)

// pageToken is what a page token holds: the question it belongs to, the
// window and metric of its first page, and storage's own position.
type pageToken struct {
	Question string `json:"q"`
	From     int64  `json:"f"` // epoch ms
	To       int64  `json:"t"`
	Metric   string `json:"m"`
	Position string `json:"p"`
}

// fingerprint identifies a question without its page and page size.
func fingerprint(q query.Requests) string {
	q.Page, q.Limit, q.Explain = "", 0, false
	sum := sha256.Sum256([]byte(q.Values().Encode()))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

func sealPage(q query.Requests, w query.Window, metric, position string) string {
	raw, err := json.Marshal(pageToken{Question: fingerprint(q), From: w.From.UnixMilli(), To: w.To.UnixMilli(), Metric: metric, Position: position})
	if err != nil {
		return "" // three plain fields can't fail to encode
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// openPage reads a token, which must belong to the question.
func openPage(q query.Requests, token string) (pageToken, error) {
	var t pageToken
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(raw, &t)
	}
	switch {
	case err != nil || t.Position == "" || t.To <= t.From || t.To-t.From > query.MaxWindow.Milliseconds() || t.From < 0:
		return t, query.Errors{{Param: "page", Message: "this is no page token; pass next_page of the answer before as it is"}}
	case t.Question != fingerprint(q):
		return t, query.Errors{{Param: "page", Message: "the token belongs to another question; repeat the parameters of the first page, or leave page out"}}
	}
	return t, nil
}

func (t pageToken) window() query.Window {
	return query.Window{From: time.UnixMilli(t.From).UTC(), To: time.UnixMilli(t.To).UTC()}
}
