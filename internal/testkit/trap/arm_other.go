//go:build !(linux && amd64)

package trap

import "errors"

func arm() error { return errors.New("it is made for Linux on x86-64") }
