package proxy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
)

const (
	readSize    = 32 << 10
	frameBuffer = 64 << 10
	// largestFrame is up to where a Kafka message is passed on whole; longer
	// ones carry records, not addresses.
	largestFrame = 1 << 20
)

// reads returns what arrives, as it arrives.
func reads(c net.Conn) func() ([]byte, error) {
	return func() ([]byte, error) {
		b := make([]byte, readSize)
		n, err := c.Read(b)
		return b[:n], err
	}
}

// frames returns whole Kafka messages, each with the four bytes of its length,
// and longer ones in pieces.
func frames(r *bufio.Reader) func() ([]byte, error) {
	left := 0 // of a message that comes in pieces
	return func() ([]byte, error) {
		size := min(left, readSize)
		if left == 0 {
			head, err := r.Peek(4)
			if err != nil {
				return nil, err
			}
			size = 4 + int(binary.BigEndian.Uint32(head))
			if size > largestFrame {
				left, size = size, readSize
			}
		}
		b := make([]byte, size)
		n, err := readFull(r, b)
		left = max(0, left-n)
		return b[:n], err
	}
}

// readFull is io.ReadFull that also hands out what came before an end.
func readFull(r *bufio.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = r.Read(b[n:])
		n += m
	}
	return n, err
}

// KafkaKey returns the API key of a whole Kafka request, for example 8 for
// OffsetCommit; -1 for what is none.
func KafkaKey(request []byte) int {
	if len(request) < 6 {
		return -1
	}
	return int(binary.BigEndian.Uint16(request[4:]))
}

// renaming returns what puts the proxy's port where a broker's answer names
// the target's. Metadata and coordinators are named as a string with the host
// and, right behind it, the port in four bytes; so both addresses must have
// the same host, and no length changes.
func renaming(target, proxy string) (func([]byte), error) {
	from, host, err := named(target)
	if err != nil {
		return nil, err
	}
	to, own, err := named(proxy)
	if err != nil {
		return nil, err
	}
	if host != own {
		return nil, fmt.Errorf("the broker is on host %s, the proxy on %s: let the broker listen on and advertise %s", host, own, own)
	}
	return func(answer []byte) {
		for at := 0; ; {
			i := bytes.Index(answer[at:], from)
			if i < 0 {
				return
			}
			at += i + copy(answer[at+i:], to)
		}
	}, nil
}

func named(addr string) (wire []byte, host string, err error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, "", err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, "", fmt.Errorf("port of %s: %w", addr, err)
	}
	return binary.BigEndian.AppendUint32([]byte(host), uint32(port)), host, nil
}
