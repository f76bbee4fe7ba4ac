package journal

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"time"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/llm"
)

// Entry is one line of the journal: the outcome of one request after all its
// attempts.
type Entry struct {
	Fingerprint llm.Fingerprint
	// Good says that Raw is a usable answer: HTTP 200 with at least one choice.
	Good      bool
	Time      time.Time // when the exchange ended, UTC
	Endpoint  string    // base URL without credentials
	Kind      llm.Kind
	Model     string
	Key       string // the caller's name for the item
	Transport llm.Transport
	Status    int // of the last attempt; 0 when no reply came
	Attempts  int
	Latency   time.Duration // of the last attempt
	// FinishReason and Usage repeat what Raw says, for readers of the file.
	FinishReason string
	Usage        llm.Usage
	Headers      map[string]string
	ErrorKind    llm.ErrorKind // "" when Good
	ErrorMessage string
	Raw          []byte // the body received, of the last attempt
}

// wireEntry is Entry on disk. Fingerprint and Good come first, in this order,
// so that opening a journal need not decode whole lines.
type wireEntry struct {
	Fingerprint  string            `json:"fingerprint"`
	Good         bool              `json:"good"`
	Time         string            `json:"time"`
	Endpoint     string            `json:"endpoint"`
	Kind         llm.Kind          `json:"kind,omitempty"`
	Model        string            `json:"model"`
	Key          string            `json:"key"`
	Transport    llm.Transport     `json:"transport,omitempty"`
	Status       int               `json:"status"`
	Attempts     int               `json:"attempts"`
	LatencyMS    float64           `json:"latency_ms"`
	FinishReason string            `json:"finish_reason,omitempty"`
	Usage        llm.Usage         `json:"usage,omitzero"`
	Headers      map[string]string `json:"headers,omitempty"`
	Error        *wireEntryError   `json:"error,omitempty"`
	Raw          *string           `json:"raw,omitempty"`
	RawBase64    *string           `json:"raw_base64,omitempty"`
}

type wireEntryError struct {
	Kind    llm.ErrorKind `json:"kind"`
	Message string        `json:"message"`
}

// line spells the entry as one JSON line, newline included. The body is a JSON
// string when it is UTF-8 and base64 otherwise; both give back the same bytes.
func (e *Entry) line() ([]byte, error) {
	w := wireEntry{
		Fingerprint: e.Fingerprint.String(), Good: e.Good, Time: e.Time.UTC().Format(time.RFC3339Nano),
		Endpoint: e.Endpoint, Kind: e.Kind, Model: e.Model, Key: e.Key, Transport: e.Transport, Status: e.Status,
		Attempts: e.Attempts, LatencyMS: float64(e.Latency.Microseconds()) / 1000, FinishReason: e.FinishReason,
		Usage: e.Usage, Headers: e.Headers,
	}
	if e.ErrorKind != "" {
		w.Error = &wireEntryError{e.ErrorKind, e.ErrorMessage}
	}
	switch {
	case e.Raw == nil:
	case utf8.Valid(e.Raw):
		w.Raw = new(string(e.Raw))
	default:
		w.RawBase64 = new(base64.StdEncoding.EncodeToString(e.Raw))
	}
	var buf bytes.Buffer
	buf.Grow(len(e.Raw) + 1024)
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(w); err != nil {
		return nil, fmt.Errorf("journal entry: %w", err)
	}
	return append(sealed(bytes.TrimSuffix(buf.Bytes(), []byte("}\n"))), '\n'), nil
}

// A line ends in the checksum of everything before it: CRC-32C, which no single flipped
// bit and no short burst of them passes.
const (
	sumFormat = `,"crc32c":"%08x"}`
	sumLength = len(`,"crc32c":"00000000"}`)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sealed closes a line that lacks its last brace.
func sealed(body []byte) []byte {
	return fmt.Appendf(body, sumFormat, crc32.Checksum(body, castagnoli))
}

// unharmed says what is wrong with a line, nil when it is as it was written.
func unharmed(line []byte) error {
	n := len(line) - sumLength
	switch {
	case n >= 0 && string(line[n:]) == fmt.Sprintf(sumFormat, crc32.Checksum(line[:n], castagnoli)):
		return nil
	case bytes.HasSuffix(line, []byte("\r")):
		return errors.New("journal entry: the line ends in CRLF: a transfer or an editor changed the file")
	case bytes.HasPrefix(line, []byte("\ufeff")):
		return errors.New("journal entry: the line begins with a byte order mark: an editor changed the file")
	case n >= 0 && bytes.HasPrefix(line[n:], []byte(sumFormat[:len(`,"crc32c":"`)])):
		return errors.New("journal entry: the checksum does not fit: bytes of the line changed")
	}
	return errors.New("journal entry: not a JSON record with a checksum: cut, overwritten, or of an older version")
}

// parseEntry reads one line without its newline.
func parseEntry(line []byte) (*Entry, error) {
	if err := unharmed(line); err != nil {
		return nil, err
	}
	var w wireEntry
	if err := json.Unmarshal(line, &w); err != nil {
		return nil, fmt.Errorf("journal entry: not a JSON record")
	}
	fp, err := llm.ParseFingerprint(w.Fingerprint)
	if err != nil {
		return nil, fmt.Errorf("journal entry: %w", err)
	}
	when, err := time.Parse(time.RFC3339Nano, w.Time)
	if err != nil {
		return nil, fmt.Errorf("journal entry: time %q is not RFC 3339", llm.OneLine(w.Time))
	}
	e := &Entry{
		Fingerprint: fp, Good: w.Good, Time: when.UTC(), Endpoint: w.Endpoint, Kind: w.Kind, Model: w.Model,
		Key: w.Key, Transport: w.Transport, Status: w.Status, Attempts: w.Attempts, FinishReason: w.FinishReason,
		Latency: time.Duration(w.LatencyMS * float64(time.Millisecond)).Round(time.Microsecond),
		Usage:   w.Usage, Headers: w.Headers,
	}
	if w.Error != nil {
		e.ErrorKind, e.ErrorMessage = w.Error.Kind, w.Error.Message
	}
	switch {
	case w.Raw != nil:
		e.Raw = []byte(*w.Raw)
	case w.RawBase64 != nil:
		if e.Raw, err = base64.StdEncoding.DecodeString(*w.RawBase64); err != nil {
			return nil, fmt.Errorf("journal entry: raw_base64 is not base64")
		}
	}
	return e, nil
}

const (
	linePrefix = `{"fingerprint":"`
	lineGood   = `","good":`
)

// glance reads fingerprint and good from the fixed beginning of a line that is as it
// was written.
func glance(line []byte) (fp llm.Fingerprint, good bool, err error) {
	const hexEnd = len(linePrefix) + 2*len(fp)
	if err := unharmed(line); err != nil {
		return fp, false, err
	}
	if len(line) < hexEnd+len(lineGood)+4 || string(line[:len(linePrefix)]) != linePrefix ||
		string(line[hexEnd:hexEnd+len(lineGood)]) != lineGood {
		return fp, false, errors.New("journal entry: not a record")
	}
	_, err = hex.Decode(fp[:], line[len(linePrefix):hexEnd])
	return fp, line[hexEnd+len(lineGood)] == 't', err
}

// Response reads the entry's body again. It fails with an [*Error] when the
// entry is not a good answer.
func (e *Entry) Response() (*llm.Response, error) {
	if !e.Good {
		return nil, &llm.Error{
			Kind: e.ErrorKind, Status: e.Status, Message: e.ErrorMessage, Attempts: e.Attempts,
			Model: e.Model, Endpoint: e.Endpoint,
		}
	}
	res, err := llm.ParseReply(e.Raw)
	if err != nil {
		return nil, err
	}
	res.Fingerprint, res.Headers, res.Attempts, res.Latency = e.Fingerprint, e.Headers, e.Attempts, e.Latency
	res.Cached = true
	return res, nil
}
