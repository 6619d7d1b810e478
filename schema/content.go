package schema

import "fmt"

// ContentMode says what happens to a record that carries a content key.
type ContentMode string

// The content modes. In both, content is dropped and counted.
const (
	ContentDrop   ContentMode = "drop"   // keep the record without it; the default
	ContentReject ContentMode = "reject" // refuse the record
)

// ParseContentMode reads a setting; empty means ContentDrop.
func ParseContentMode(s string) (ContentMode, error) {
	switch m := ContentMode(s); m {
	case "":
		return ContentDrop, nil
	case ContentDrop, ContentReject:
		return m, nil
	}
	return "", fmt.Errorf("content mode %q: use drop or reject", s)
}

// isContentKey tells whether a key is known to carry content or identity.
// Case and punctuation don't count, so that api_key, apiKey and API-Key are
// one. Keys of the record itself are never asked.
func isContentKey(key []byte) bool {
	var buf [32]byte
	n := 0
	for _, c := range key {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c < 'a' && (c < '0' || c > '9') || c > 'z' {
			continue
		}
		if n == len(buf) {
			return false
		}
		buf[n] = c
		n++
	}
	switch string(buf[:n]) {
	case "message", "messages", "prompt", "prompts", "systemprompt", "userprompt", "system", "instructions",
		"content", "contents", "text", "body", "input", "inputs", "userinput", "inputtext", "inputmessages",
		"output", "outputs", "outputtext", "outputmessages", "request", "requestbody", "rawrequest",
		"response", "responses", "responsebody", "rawresponse", "choices", "completion", "completions", "delta",
		"question", "questions", "answer", "answers", "query", "reasoningcontent", "thinking",
		"arguments", "toolcalls", "toolinput", "functioncall", "errormessage",
		"genaiprompt", "genaicompletion", "genaiinputmessages", "genaioutputmessages", "genaisysteminstructions":
		return true
	case "authorization", "proxyauthorization", "apikey", "xapikey", "accesstoken", "refreshtoken", "bearertoken",
		"secret", "password", "cookie", "setcookie",
		"ip", "ipaddress", "clientip", "remoteip", "remoteaddr", "xforwardedfor", "xrealip",
		"user", "userid", "username", "enduser", "enduserid", "tokenname", "email", "phone", "account", "useragent":
		return true
	}
	return false
}
