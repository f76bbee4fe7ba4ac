package batch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/judgekit/judge/internal/llm"
)

// maxLine bounds a line of an output file in bytes.
const maxLine = 64 << 20

// Reply is the reply to one request of a batch.
type Reply struct {
	// Line counts from 1.
	Line int
	ID   llm.Fingerprint
	// Raw is the reply as it would have come live: Status is 0 where the request was
	// never answered, as in a batch that expired.
	llm.RawReply
	// Response is the answer in the body; nil where there is none, and Error says why.
	Response *llm.Response
	Error    *llm.Error
}

// outputLine is a line as services, vLLM and gateways write it.
type outputLine struct {
	CustomID string          `json:"custom_id"`
	Response json.RawMessage `json:"response"`
	Error    json.RawMessage `json:"error"`
}

// Replies yields the replies of an output or error file of a batch. A line that is no
// reply is an error with its number, and reading goes on; a line over 64 MiB, and a
// failure to read, end it.
func Replies(in io.Reader) iter.Seq2[Reply, error] {
	return func(yield func(Reply, error) bool) {
		lines := bufio.NewScanner(in)
		lines.Buffer(make([]byte, 64<<10), maxLine)
		number := 0
		for lines.Scan() {
			number++
			if len(bytes.TrimSpace(lines.Bytes())) == 0 {
				continue
			}
			r, err := parse(lines.Bytes())
			if err != nil {
				err = fmt.Errorf("line %d: %w", number, err)
			}
			if r.Line = number; !yield(r, err) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(Reply{Line: number + 1}, fmt.Errorf("line %d: %w", number+1, err))
		}
	}
}

var errNoReply = errors.New(`not a line of a batch's output: it needs "custom_id" and "response" or "error"`)

func parse(line []byte) (r Reply, err error) {
	var out outputLine
	if json.Unmarshal(bytes.TrimPrefix(line, []byte("\ufeff")), &out) != nil || out.CustomID == "" {
		return r, errNoReply
	}
	if err := r.ID.UnmarshalText([]byte(out.CustomID)); err != nil {
		return r, fmt.Errorf("custom_id: %w", err)
	}
	r.Status, r.Body = replyOf(out.Response)
	problem := present(out.Error)
	switch {
	case r.Status == 0 && problem == nil:
		return r, errNoReply
	case r.Status == 0:
		r.Body = bytes.Clone(problem)
		r.Error = failure(problem)
	case r.Status/100 != 2:
		if r.Body == nil {
			r.Body = bytes.Clone(problem)
		}
		r.Error = llm.StatusError(r.Status, r.Body)
	default:
		if r.Response, err = llm.ParseReply(r.Body); err != nil {
			r.Error, _ = errors.AsType[*llm.Error](err)
		}
	}
	return r, nil
}

// replyOf is what is in "response": a status with a body, or, from some runners, the body
// alone.
func replyOf(response json.RawMessage) (status int, body []byte) {
	if present(response) == nil {
		return 0, nil
	}
	var r struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
		Object string          `json:"object"`
	}
	if json.Unmarshal(response, &r) != nil {
		return 0, nil
	}
	if r.Status == 0 && r.Body == nil && r.Object != "" {
		return 200, bytes.Clone(response)
	}
	if r.Status == 0 && r.Body != nil {
		r.Status = 200
	}
	return r.Status, bytes.Clone(present(r.Body))
}

// present is a JSON text that is not null, else nil.
func present(text json.RawMessage) []byte {
	if text = bytes.TrimSpace(text); len(text) == 0 || string(text) == "null" {
		return nil
	}
	return text
}

// failure is the error of a request that was not answered.
func failure(problem []byte) *llm.Error {
	var p struct {
		Code    any    `json:"code"`
		Message string `json:"message"`
	}
	e := &llm.Error{Kind: llm.KindServer, Retryable: true, Message: llm.OneLine(string(problem))}
	if json.Unmarshal(problem, &p) == nil && p.Message != "" {
		e.Message = llm.OneLine(p.Message)
	}
	if code, ok := p.Code.(string); ok && code != "" {
		e.Message = llm.OneLine(code) + ": " + e.Message
	}
	return e
}
