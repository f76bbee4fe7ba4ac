package client

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/judgekit/judge/internal/llm"
)

const (
	// leastReply is what a reply may hold beside its tokens.
	leastReply = 512 << 10
	// tokenBytes is far more than a token takes, escaped; a listed alternative takes
	// somewhat more.
	tokenBytes, alternativeBytes = 64, 256
	// mostErrorBytes is read of a reply that is no answer.
	mostErrorBytes = 64 << 10
)

// replyLimit is how long a reply can be: what max_tokens can mean, and never more than
// most.
func replyLimit(r *llm.Request, most int64) int64 {
	if r == nil || r.MaxTokens <= 0 {
		return most
	}
	each := int64(tokenBytes)
	if r.Logprobs {
		each += int64(1+r.TopLogprobs) * alternativeBytes
	}
	return min(leastReply+int64(r.MaxTokens)*each, most)
}

// read returns the body, unpacked where it is packed. Of a reply that is no answer the
// beginning will do, whatever becomes of the rest.
func (w *wire) read(res *http.Response, limit int64) ([]byte, error) {
	if res.StatusCode/100 != 2 {
		body, err := unpacked(res)
		if err != nil {
			return nil, err
		}
		raw, err := io.ReadAll(io.LimitReader(body, mostErrorBytes))
		return w.redact.body(raw), err
	}
	if res.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body, err := unpacked(res)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if res.ContentLength > 0 {
		buf.Grow(int(res.ContentLength) + bytes.MinRead)
	}
	n, err := buf.ReadFrom(io.LimitReader(body, limit+1))
	if n > limit {
		return nil, tooLarge(limit)
	}
	return w.redact.body(buf.Bytes()), err
}

// unpacked is the body without gzip, which some proxies use without being asked, and
// without saying so.
func unpacked(res *http.Response) (io.Reader, error) {
	body := bufio.NewReaderSize(res.Body, 4<<10)
	if head, _ := body.Peek(2); string(head) == "\x1f\x8b" {
		unzip, err := gzip.NewReader(body)
		if err != nil {
			return nil, &llm.Error{Kind: llm.KindInvalidReply, Retryable: true, Message: "the reply is damaged gzip"}
		}
		return unzip, nil
	}
	switch by := strings.ToLower(res.Header.Get("Content-Encoding")); by {
	case "", "identity", "gzip", "x-gzip":
		return body, nil
	default:
		return nil, &llm.Error{
			Kind: llm.KindInvalidReply, Retryable: true, Message: "the reply is packed by " + llm.OneLine(by) + ", which was not asked for",
		}
	}
}

func tooLarge(limit int64) *llm.Error {
	return &llm.Error{
		Kind: llm.KindTooLarge, Message: fmt.Sprintf("the reply is larger than %d bytes, more than its max_tokens can mean", limit),
		Hint: "set max_tokens, or raise the reply limit",
	}
}
