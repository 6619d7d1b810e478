package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// database asks one ClickHouse over HTTP, which costs it little.
type database struct{ place }

const answerWithin = time.Minute

// ask runs a statement and returns its answer as tab-separated text.
func (d database) ask(ctx context.Context, statement string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.HTTP, strings.NewReader(statement))
	if err != nil {
		return "", err
	}
	r.SetBasicAuth(d.User, d.Password)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%.60s …: %s", strings.TrimSpace(statement), body)
	}
	return strings.TrimSpace(string(body)), err
}

// number asks for one whole number.
func (d database) number(ctx context.Context, statement string) (int64, error) {
	text, err := d.ask(ctx, statement)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}
