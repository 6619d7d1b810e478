package engine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// hello is the first packet of the native protocol, as far as the gate needs
// it. Source: ClickHouse, Core/Protocol.h and TCPHandler::receiveHello.
type hello struct {
	database, user, password string
	// raw is the packet as it came, to be handed on.
	raw []byte
}

const (
	// maxHelloText limits each text in a hello packet, in bytes.
	maxHelloText = 4096

	packetHello     = 0
	packetException = 2

	codeUnknownDatabase      = 81
	codeAuthenticationFailed = 516
)

var errNotNative = errors.New("not the native protocol")

// readHello reads exactly one hello packet: it takes no byte beyond it from
// the reader's source but those in the reader's own buffer.
func readHello(r *bufio.Reader) (hello, error) {
	t := &teeReader{r: r}
	kind, err := binary.ReadUvarint(t)
	if err != nil {
		return hello{}, err
	}
	if kind != packetHello {
		return hello{}, errNotNative
	}
	var h hello
	if _, err = t.text(); err != nil { // the client's name
		return hello{}, err
	}
	for range 3 { // its version, major and minor, and the protocol revision
		if _, err := binary.ReadUvarint(t); err != nil {
			return hello{}, err
		}
	}
	for _, field := range []*string{&h.database, &h.user, &h.password} {
		if *field, err = t.text(); err != nil {
			return hello{}, err
		}
	}
	h.raw = t.seen.Bytes()
	return h, nil
}

// teeReader remembers what was read.
type teeReader struct {
	r    *bufio.Reader
	seen bytes.Buffer
}

func (t *teeReader) ReadByte() (byte, error) {
	b, err := t.r.ReadByte()
	if err == nil {
		t.seen.WriteByte(b)
	}
	return b, err
}

func (t *teeReader) text() (string, error) {
	n, err := binary.ReadUvarint(t)
	if err != nil {
		return "", err
	}
	if n > maxHelloText {
		return "", fmt.Errorf("hello packet has a text of %d bytes, more than %d", n, maxHelloText)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(t.r, b); err != nil {
		return "", err
	}
	t.seen.Write(b)
	return string(b), nil
}

// exceptionPacket is the server's answer to a hello that it refuses.
func exceptionPacket(code int32, message string) []byte {
	b := []byte{packetException}
	b = binary.LittleEndian.AppendUint32(b, uint32(code))
	for _, s := range []string{"DB::Exception", "DB::Exception: " + message, ""} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return append(b, 0)
}
