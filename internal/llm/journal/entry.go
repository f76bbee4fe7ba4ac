package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/sealed"
)

// Entry is one line of the journal: the outcome of one request after all its attempts.
type Entry struct {
	// Fingerprint and Good are first on a line, in this order, so that opening a journal does not
	// have to decode whole lines.
	Fingerprint llm.Fingerprint `json:"fingerprint"`
	// Good says that Raw is a usable answer: HTTP 200 with at least one choice.
	Good      bool          `json:"good"`
	Time      time.Time     `json:"time"`     // when the exchange ended, UTC
	Endpoint  string        `json:"endpoint"` // base URL without credentials
	Kind      llm.Kind      `json:"kind,omitempty"`
	Model     string        `json:"model"`
	Key       string        `json:"key"` // the caller's name for the item
	Transport llm.Transport `json:"transport,omitempty"`
	Status    int           `json:"status"` // of the last attempt; 0 when no reply came
	Attempts  int           `json:"attempts"`
	LatencyMS float64       `json:"latency_ms"` // of the last attempt
	// FinishReason and Usage repeat what Raw says, for people who read the file.
	FinishReason string            `json:"finish_reason,omitempty"`
	Usage        llm.Usage         `json:"usage,omitzero"`
	Headers      map[string]string `json:"headers,omitempty"`
	Error        *llm.Error        `json:"error,omitempty"` // why there is no answer; nil when Good
	// Canary is the secret word in the prompt that was answered, if another run made that prompt.
	// An answer that contains it is void.
	Canary string `json:"canary,omitempty"`
	Raw    []byte `json:"-"` // the body received, of the last attempt
}

// End records the outcome: an answer, or an error with a nil res.
func (e *Entry) End(reply llm.RawReply, res *llm.Response, err *llm.Error) {
	e.Time, e.Status, e.Headers, e.Raw = time.Now().UTC(), reply.Status, reply.Headers, reply.Body
	if e.Good, e.Error = err == nil, err; e.Good {
		e.Usage, e.FinishReason = res.Usage, res.FinishReason
	}
}

// record is an entry on disk. The body is a JSON string if it is UTF-8, and base64 otherwise; both
// restore the same bytes.
type record struct {
	*Entry
	Text   *string `json:"raw,omitempty"`
	Binary []byte  `json:"raw_base64,omitempty"`
}

// line renders the entry as one line of JSON, with its newline.
func (e *Entry) line() ([]byte, error) {
	r := record{Entry: e}
	switch {
	case e.Raw == nil:
	case utf8.Valid(e.Raw):
		r.Text = new(string(e.Raw))
	default:
		r.Binary = e.Raw
	}
	line, err := sealed.Line(r)
	if err != nil {
		return nil, fmt.Errorf("journal entry: %w", err)
	}
	return line, nil
}

// damage says how a line differs from what was written; nil if it does not.
func damage(line []byte) error {
	err := sealed.Check(line)
	switch {
	case err == nil:
		return nil
	case bytes.HasSuffix(line, []byte("\r")):
		return errors.New("the line ends in CRLF: a transfer or an editor changed the file")
	case bytes.HasPrefix(line, []byte("\ufeff")):
		return errors.New("the line begins with a byte order mark: an editor changed the file")
	case errors.Is(err, sealed.ErrChanged):
		return errors.New("the checksum does not fit: bytes of the line changed")
	}
	return errors.New("not a JSON record with a checksum: cut, overwritten, or of an older version")
}

// parse parses one line without its newline.
func parse(line []byte) (*Entry, error) {
	if err := damage(line); err != nil {
		return nil, err
	}
	r := record{Entry: &Entry{}}
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, errors.New("not a JSON record of an exchange")
	}
	if e := r.Error; e != nil {
		e.Status, e.Attempts, e.Model = r.Status, r.Attempts, r.Model
	}
	if r.Raw = r.Binary; r.Text != nil {
		r.Raw = []byte(*r.Text)
	}
	return r.Entry, nil
}

// glance reads the fingerprint and Good from the beginning of an undamaged line.
func glance(line []byte) (fp llm.Fingerprint, good bool, err error) {
	const before, between = `{"fingerprint":"`, `","good":`
	if err := damage(line); err != nil {
		return fp, false, err
	}
	digits, ok := bytes.CutPrefix(line, []byte(before))
	digits, rest, _ := bytes.Cut(digits, []byte(between))
	if !ok || len(digits) != 2*len(fp) {
		return fp, false, errors.New("not a record")
	}
	_, err = hex.Decode(fp[:], digits)
	return fp, bytes.HasPrefix(rest, []byte("true")), err
}

// response parses the body of a good entry.
func (e *Entry) response() (*llm.Response, error) {
	res, err := llm.ParseReply(e.Raw)
	if err != nil {
		return nil, err
	}
	res.Fingerprint, res.Attempts, res.Cached, res.Canary = e.Fingerprint, e.Attempts, true, e.Canary
	res.Latency = time.Duration(e.LatencyMS * float64(time.Millisecond)).Round(time.Microsecond)
	return res, nil
}
