package store

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"

	"github.com/ClickHouse/ch-go"
	"github.com/ClickHouse/clickhouse-go/v2"
	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// class is what kind of mending a fault needs.
type class int

const (
	classRetry    class = iota // time may mend it
	classOperator              // a person must mend it
	classData                  // the database refuses the rows themselves
	classLimit                 // the question goes beyond a limit
)

// Error is a failure of the database. Its text says what was being done, what
// the server said and the remedy; it holds no password.
type Error struct {
	doing   string
	code    int32 // the server's code; 0 where the fault is not the server's
	class   class
	remedy  string
	setting string // of a limit
	offsets []int64
	err     error
}

// Error implements error.
func (e *Error) Error() string {
	text := e.doing + ": " + e.err.Error()
	if e.remedy != "" {
		text += "; " + e.remedy
	}
	return text
}

// Unwrap returns the driver's error.
func (e *Error) Unwrap() error { return e.err }

// Code is the server's error code, 0 where the server never answered.
func (e *Error) Code() int32 { return e.code }

// Retryable is true where time may mend the fault: network, overload,
// read-only, too many parts.
func (e *Error) Retryable() bool { return e.class == classRetry }

// OperatorFault is true where a person must mend the fault; remedy says how.
func (e *Error) OperatorFault() (remedy string, ok bool) {
	return e.remedy, e.class == classOperator
}

// BadRows is true where the database is up and refuses the rows. offsets are
// those of the rows; empty means that it can't tell which.
func (e *Error) BadRows() (offsets []int64, ok bool) { return e.offsets, e.class == classData }

// Limit is true where a question went beyond a limit of Config.Limits;
// setting is its name on the server.
func (e *Error) Limit() (setting, remedy string, ok bool) {
	return e.setting, e.remedy, e.class == classLimit
}

// fault wraps an error of the driver as an *Error; nil and errors that
// already are one stay as they are, and so do cancelled contexts.
func (s *Store) fault(doing string, err error) error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", doing, err)
	}
	e := &Error{doing: doing + " in ClickHouse at " + s.cfg.Addr, err: err}
	var (
		server *clickhouse.Exception
		writer *ch.Exception
		block  *proto.BlockError
		column *chcolumn.ColumnConverterError
	)
	switch {
	case errors.As(err, &server):
		e.code = server.Code
		e.class, e.remedy = s.judge(server.Code)
		e.err = brief(server.Code, server.Message)
	case errors.As(err, &writer):
		e.code = int32(writer.Code)
		e.class, e.remedy = s.judge(e.code)
		e.err = brief(e.code, writer.Message)
	case errors.Is(err, errMissingTables), errors.Is(err, errOtherColumns), errors.As(err, &block), errors.As(err, &column):
		e.class, e.remedy = classOperator, migrateRemedy
	case isCertificate(err):
		e.class, e.remedy = classOperator, "check the server's TLS certificate, or switch clickhouse.tls off"
	default:
		e.remedy = s.networkRemedy(err)
	}
	return e
}

// brief keeps a server's message without its stack trace and version.
func brief(code int32, text string) error {
	const most = 400
	if len(text) > most {
		text = text[:most] + "…"
	}
	return fmt.Errorf("code %d, %s", code, text)
}

func isCertificate(err error) bool {
	var (
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
	)
	return errors.As(err, &unknown) || errors.As(err, &hostname) || errors.As(err, &invalid)
}

func (s *Store) networkRemedy(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return "check that ClickHouse runs and listens there with its native protocol (not HTTP), and clickhouse.addr"
	}
	return "it is tried again; check the server's log if this lasts"
}
