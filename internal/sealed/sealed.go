// Package sealed handles lines of JSON that end in the checksum of everything before it, so that a
// line which was cut off, overwritten or changed is noticed. The checksum is CRC-32C, which detects
// every single flipped bit and every short burst of them.
package sealed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
)

const (
	format = `,"crc32c":"%08x"}`
	begin  = `,"crc32c":"`
	length = len(`,"crc32c":"00000000"}`)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The ways in which a line can be damaged.
var (
	ErrCut     = errors.New("cut off or overwritten")
	ErrChanged = errors.New("bytes of the line changed since it was written")
)

// Line returns an object, which has at least one field, as a line with its line feed.
func Line(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return append(Seal(bytes.TrimSuffix(b.Bytes(), []byte("}\n"))), '\n'), nil
}

// Seal adds the checksum and the last brace to an object without its last brace.
func Seal(body []byte) []byte {
	return fmt.Appendf(body, format, crc32.Checksum(body, castagnoli))
}

// Check returns nil if a line, without its line feed, is unchanged since it was written.
func Check(line []byte) error {
	n := len(line) - length
	switch {
	case n < 0 || !bytes.HasPrefix(line[n:], []byte(begin)):
		return ErrCut
	case string(line[n:]) != fmt.Sprintf(format, crc32.Checksum(line[:n], castagnoli)):
		return ErrChanged
	}
	return nil
}
