// OTLP in protobuf, as a container of OTLP/JSON.
// Written by: OTLP/HTTP bodies saved as they are, and the collector's file exporter with format proto, which puts the
// size (4 bytes, big endian) before each export, and with compression zstd, which packs each export by itself.
// Read: the messages of wire.go, the rest is skipped.
// Lost: links of spans, counts of dropped attributes; an export over the limit of a conversation ends the file.

package format

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

// isExport reports whether head begins an export in protobuf: its first field, then bytes that no
// text contains.
func isExport(head []byte) bool {
	return len(head) > 2 && head[0] == 0x0a && !isText(head)
}

// isText reports whether the first bytes after blanks are those of JSON or a table.
func isText(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	return !bytes.ContainsFunc(head[:min(len(head), 64)], func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\r' && c != '\n'
	})
}

// isSized reports whether head begins with the size of an export, and then the export.
func isSized(head []byte) bool {
	if len(head) < 8 || head[0] != 0 && head[0] > 0x0f {
		return false
	}
	size := binary.BigEndian.Uint32(head)
	body := head[4:]
	return size > 4 && (isExport(body) || bytes.HasPrefix(body, []byte(container.ZstdMagic)) ||
		size > 16 && bytes.HasPrefix(body, []byte(`{"resource`)))
}

func openExport(in *bufio.Reader, limit int) (io.Reader, error) {
	return exportLines(limit, func() ([]byte, error) {
		data, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
		if err == nil && len(data) == 0 {
			err = io.EOF
		}
		return data, err
	}), nil
}

func openSized(in *bufio.Reader, limit int) (io.Reader, error) {
	return exportLines(limit, func() ([]byte, error) {
		var size [4]byte
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return nil, err
		}
		n := binary.BigEndian.Uint32(size[:])
		if int64(n) > int64(limit) {
			return nil, &container.Broken{Message: fmt.Sprintf("an export of %d bytes is longer than the limit of %d", n, limit)}
		}
		data, err := io.ReadAll(io.LimitReader(in, int64(n)))
		if err == nil && len(data) < int(n) {
			err = io.ErrUnexpectedEOF
		}
		return data, err
	}), nil
}

// exportLines reads exports as lines of OTLP/JSON.
func exportLines(limit int, next func() ([]byte, error)) io.Reader {
	return &container.Pieces{Next: func() ([]byte, error) {
		data, err := next()
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, container.CutShort(io.EOF)
		case err != nil:
			return nil, err
		case len(data) > limit:
			return nil, &container.Broken{Message: fmt.Sprintf("the export is longer than the limit of %d bytes", limit)}
		}
		line, err := exportJSON(data, limit)
		if err != nil {
			return nil, &container.Broken{Message: "an export cannot be read: " + err.Error()}
		}
		return append(line, '\n'), nil
	}}
}

// exportJSON returns one export as OTLP/JSON.
func exportJSON(data []byte, limit int) (out []byte, err error) {
	if bytes.HasPrefix(data, []byte(container.ZstdMagic)) {
		if data, err = container.Unzstd(data, limit); err != nil {
			return nil, err
		}
	}
	if bytes.HasPrefix(data, []byte("{")) {
		return bytes.ReplaceAll(data, []byte("\n"), []byte(" ")), nil
	}
	traces, failed := wireValue("traces", data, 0)
	if failed == nil && haveIDs(traces) {
		return []byte(traces.JSON()), nil
	}
	logs, err := wireValue("logs", data, 0)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	return []byte(logs.JSON()), nil
}

// haveIDs reports whether the first span has an id. Log records that were read as spans have none.
func haveIDs(traces value.Value) bool {
	for _, r := range traces.Field("resourceSpans").Elements() {
		for _, scope := range r.Field("scopeSpans").Elements() {
			for _, s := range scope.Field("spans").Elements() {
				return s.Field("spanId").Text() != ""
			}
		}
	}
	return true
}
