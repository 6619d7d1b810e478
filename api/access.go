package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

// Role says what a token may do. Admin may do everything.
type Role string

// The roles of a token.
const (
	RoleRead   Role = "read"   // every question, classify, /metrics
	RoleIngest Role = "ingest" // POST records
	RoleAdmin  Role = "admin"
)

// Token is one bearer token, of which only the hash is known.
type Token struct {
	Name string // who holds it, for people
	Hash string // HashToken of the token
	Role Role
}

// HashToken returns a token's SHA-256 in hexadecimal. Tokens are long and
// random, so that a plain hash can't be guessed.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Access says who may ask. Without tokens everyone who reaches the server
// may: see CheckListen.
type Access struct {
	Tokens []Token
	// Hosts are names that requests may address, without port. Empty means
	// loopback names while no tokens are set, and any name otherwise.
	Hosts []string
}

// Validate lists every mistake with its key in the configuration.
func (a Access) Validate() error {
	var errs []error
	for i, t := range a.Tokens {
		if raw, err := hex.DecodeString(t.Hash); err != nil || len(raw) != sha256.Size {
			errs = append(errs, fmt.Errorf("access.tokens[%d].sha256 (%s): not a SHA-256 in hexadecimal; get it with: printf %%s \"$TOKEN\" | sha256sum", i, t.Name))
		}
		if t.Role != RoleRead && t.Role != RoleIngest && t.Role != RoleAdmin {
			errs = append(errs, fmt.Errorf("access.tokens[%d].role (%s): %q; use read, ingest or admin", i, t.Name, t.Role))
		}
	}
	return errors.Join(errs...)
}

// CheckListen refuses an address beyond loopback without tokens. addr is
// host:port as configured.
func CheckListen(addr string, a Access) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen %q: write host:port, for example 127.0.0.1:8080", addr)
	}
	if len(a.Tokens) > 0 || Loopback(host) {
		return nil
	}
	return fmt.Errorf("listen %q is reachable from other machines and no access tokens are set: listen on 127.0.0.1, or set access.tokens", addr)
}

// Loopback tells whether a host, as written in an address, is this machine
// alone.
func Loopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// guardHost keeps a page of another site from reaching a loopback server
// under a name of its own (DNS rebinding).
func (s *Server) guardHost(c *gin.Context) {
	host := c.Request.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	allowed := len(s.Access.Hosts) == 0 && len(s.Access.Tokens) > 0 || Loopback(host)
	for _, name := range s.Access.Hosts {
		allowed = allowed || strings.EqualFold(name, host)
	}
	if !allowed {
		s.refuse(c, problem("wrong-host", "the Host header names neither loopback nor a name of access.hosts; ask by localhost or 127.0.0.1"))
	}
}

// guardOrigin keeps pages of other sites from posting.
func (s *Server) guardOrigin(c *gin.Context) {
	if err := http.NewCrossOriginProtection().Check(c.Request); err != nil {
		s.refuse(c, problem("forbidden", "the request comes from a page of another site; only this server's own pages may post"))
	}
}

// authorise checks the bearer token against the role that the route needs.
func (s *Server) authorise(c *gin.Context) {
	name, role, sent, known := s.bearer(c.Request)
	if known {
		c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), principalKey{}, name))
	}
	need, guarded := neededRole(c.FullPath(), c.Request.Method)
	switch {
	case !guarded || len(s.Access.Tokens) == 0:
	case !sent:
		s.refuse(c, problem("unauthorized", "send Authorization: Bearer TOKEN with a token of role "+string(need)))
	case !known:
		s.refuse(c, problem("unauthorized", "the token is not known; ask whoever runs this server for one of role "+string(need)))
	case role != need && role != RoleAdmin:
		s.refuse(c, problem("forbidden", "the token's role is "+string(role)+"; this needs "+string(need)))
	}
}

// bearer reads the request's token: whether one was sent, and whose it is.
func (s *Server) bearer(r *http.Request) (name string, role Role, sent, known bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", "", false, false
	}
	name, role, known = s.holder(token)
	return name, role, true, known
}

// insider tells whether whoever asks may read what is wrong inside: anyone
// where no tokens are set, else the holders of one.
func (s *Server) insider(ctx context.Context) bool {
	_, held := ctx.Value(principalKey{}).(string)
	return held || len(s.Access.Tokens) == 0
}

type principalKey struct{}

// Principal names who asks: the name of the token of the request that ctx
// belongs to, empty without one. Storage writes it beside each query.
func Principal(ctx context.Context) string {
	name, _ := ctx.Value(principalKey{}).(string)
	return name
}

// holder compares with every token, so that time tells nothing about which
// one came close.
func (s *Server) holder(token string) (name string, role Role, known bool) {
	hash := []byte(HashToken(token))
	for _, t := range s.Access.Tokens {
		if subtle.ConstantTimeCompare(hash, []byte(strings.ToLower(t.Hash))) == 1 {
			name, role, known = t.Name, t.Role, true
		}
	}
	return name, role, known
}

// neededRole says which role a route needs; pages, the document and health
// need none.
func neededRole(route, method string) (Role, bool) {
	switch {
	case route == recordsPath && method == http.MethodPost:
		return RoleIngest, true
	case strings.HasPrefix(route, apiRoot+"hedge/") && method != http.MethodGet && method != http.MethodHead:
		return RoleAdmin, true
	case strings.HasPrefix(route, "/api/") || route == "/metrics":
		return RoleRead, true
	}
	return "", false
}
