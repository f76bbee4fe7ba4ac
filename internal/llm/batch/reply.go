package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
)

// maxLine limits a line of an output file, in bytes.
const maxLine = 64 << 20

// Reply is the reply to one request of a batch.
type Reply struct {
	// Line counts from 1.
	Line int
	ID   llm.Fingerprint
	// RawReply is the reply as a live request would have got it. Status is 0 if the request was
	// never answered, for instance because the batch expired.
	llm.RawReply
	// Response is the parsed answer; nil if there is an Error instead.
	Response *llm.Response
	Error    *llm.Error
}

// Replies yields the replies in a batch's output or error file. A line without a reply yields an
// error with its line number, and reading goes on; a line over 64 MiB or a read error ends it.
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
	out, _ := value.Parse(bytes.TrimPrefix(line, []byte("\ufeff")))
	id := out.Field("custom_id").Text()
	if id == "" {
		return r, errNoReply
	}
	if err := r.ID.UnmarshalText([]byte(id)); err != nil {
		return r, fmt.Errorf("custom_id: %w", err)
	}
	r.Status, r.Body = replyOf(out.Field("response"))
	problem := out.Field("error")
	if r.Body == nil && !problem.IsNull() {
		r.Body = []byte(problem.Raw())
	}
	switch {
	case r.Status == 0 && problem.IsNull():
		return r, errNoReply
	case r.Status == 0:
		r.Error = failure(problem)
	case r.Status/100 != 2:
		r.Error = llm.StatusError(r.Status, r.Body)
	default:
		if r.Response, err = llm.ParseReply(r.Body); err != nil {
			r.Error, _ = errors.AsType[*llm.Error](err)
		}
	}
	return r, nil
}

// replyOf reads the member "response": a status with a body (services, vLLM, gateways), or the body
// alone (some runners).
func replyOf(response value.Value) (status int, body []byte) {
	if b := response.Field("body"); !b.IsNull() {
		body = []byte(b.Raw())
	}
	code, _ := response.Field("status_code").Float64()
	switch {
	case code >= 100 && code < 1000:
		return int(code), body
	case body != nil:
		return 200, body
	case response.Has("object"):
		return 200, []byte(response.Raw())
	}
	return 0, nil
}

// failure returns the error for a request that was not answered.
func failure(problem value.Value) *llm.Error {
	message := llm.OneLine(cmp.Or(problem.Field("message").Text(), problem.Raw()))
	if code, _ := problem.Field("code").Str(); code != "" {
		message = llm.OneLine(code) + ": " + message
	}
	return &llm.Error{Kind: llm.KindServer, Retryable: true, Message: message}
}
