package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// layout is a prepared data directory, held by this process.
type layout struct {
	dir       string
	temporary bool
	password  string
	// lock stays open as long as this process or any child lives, each of
	// which inherits it; so nobody starts on a directory still in use.
	lock *os.File
}

// prepare makes the data directory fit for the engine: private, locked, with a
// password made from random once.
func prepare(ctx context.Context, dataDir string) (*layout, error) {
	l := &layout{dir: dataDir}
	if dataDir == "" {
		dir, err := os.MkdirTemp("", "headway-engine-")
		if err != nil {
			return nil, fmt.Errorf("make a temporary engine directory: %w; set TMPDIR to a writable place", err)
		}
		l.dir, l.temporary = dir, true
	}
	for _, sub := range []string{"", "store", "tmp", "user_files", "format_schemas"} {
		if err := os.MkdirAll(filepath.Join(l.dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("make engine data directory: %w; choose a writable --data-dir", err)
		}
	}
	// The directory may have been made by hand, open to others.
	if err := os.Chmod(l.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make engine data directory private: %w; choose a --data-dir that you own", err)
	}
	var err error
	if l.lock, err = acquireLock(ctx, l.dir); err != nil {
		return nil, err
	}
	if l.password, err = readPassword(filepath.Join(l.dir, "password")); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

// release gives the directory up, and removes it if it was temporary.
func (l *layout) release() error {
	err := l.lock.Close()
	if l.temporary {
		return errors.Join(err, os.RemoveAll(l.dir))
	}
	return err
}

// databases are the names of Headway's databases that the directory holds. Each
// has a definition there, a file of its name with signs escaped as in a URL.
func (l *layout) databases() []string {
	files, err := os.ReadDir(filepath.Join(l.dir, "store", "metadata"))
	if err != nil {
		return nil // a new directory: the engine itself tells what else is wrong
	}
	var names []string
	for _, f := range files {
		escaped, isDefinition := strings.CutSuffix(f.Name(), ".sql")
		name, err := url.PathUnescape(escaped)
		if isDefinition && err == nil && strings.HasPrefix(name, Database) {
			names = append(names, name)
		}
	}
	return names
}

// write stores a configuration file that only this account can read.
func (l *layout) write(name, content string) error {
	path := filepath.Join(l.dir, name)
	if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
		return fmt.Errorf("write engine configuration: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write engine configuration: %w", err)
	}
	return nil
}

// readPassword returns the data directory's password, making it when there is
// none yet.
func readPassword(path string) (string, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return makePassword(path)
	}
	if err != nil {
		return "", fmt.Errorf("read engine password: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("engine password file %s can be read by others: delete it (a new password is made) or chmod 600 it", path)
	}
	password := strings.TrimSpace(string(data))
	if len(password) < 26 {
		return "", fmt.Errorf("engine password file %s holds no usable password: delete it, a new one is made", path)
	}
	return password, nil
}

func makePassword(path string) (string, error) {
	password := rand.Text() + rand.Text()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("write engine password: %w", err)
	}
	_, err = f.WriteString(password + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("write engine password: %w", err)
	}
	return password, nil
}
