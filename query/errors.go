package query

import (
	"fmt"
	"strings"
)

// ParamError is one mistake in a question: which parameter, what is wrong
// with it and the remedy, and the valid names nearest to the one given (nil
// where the mistake is no name).
type ParamError struct {
	Param   string
	Message string
	Nearest []string
}

// Error implements error.
func (e ParamError) Error() string {
	text := e.Param + ": " + e.Message
	if len(e.Nearest) > 0 {
		text += "; nearest: " + strings.Join(e.Nearest, ", ")
	}
	return text
}

// Errors are all mistakes of one question, so that a person mends them at
// once.
type Errors []ParamError

// Error implements error.
func (e Errors) Error() string {
	texts := make([]string, len(e))
	for i, p := range e {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "\n")
}

// orNil avoids a non-nil error interface around no mistakes.
func (e Errors) orNil() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

func wrong(param, format string, args ...any) ParamError {
	return ParamError{Param: param, Message: fmt.Sprintf(format, args...)}
}
