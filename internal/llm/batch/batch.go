// Package batch writes requests to OpenAI batch files and reads the files with the answers.
//
// A batch file has one request per line, {"custom_id","method","url","body"}; the custom_id is the
// request's fingerprint. Hosted services, vLLM's run-batch and gateways accept it. Their output has
// one reply per line, in any order.
//
// It promises that a batch holds the same body that would be sent live, and that no request is
// written twice.
package batch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/sorting"
)

// Limits limits the size of one file.
type Limits struct {
	Requests int
	Bytes    int64
}

// Default limits. Services accept up to 50,000 requests and 100 or 200 MB. Our files are smaller,
// because vLLM's runner keeps a whole file in memory.
const (
	DefaultRequests = 10_000
	DefaultBytes    = 90 << 20
)

// Request is one line of a file's index. It describes a request, so that its answer can be imported
// later.
type Request struct {
	ID        llm.Fingerprint `json:"custom_id"`
	Key       string          `json:"key"`
	Model     string          `json:"model"`
	Endpoint  string          `json:"endpoint"`
	Kind      llm.Kind        `json:"kind,omitempty"`
	Transport llm.Transport   `json:"transport,omitempty"`
	File      string          `json:"file"`

	line []byte
}

// Writer is an [llm.Sender] that writes the requests of one judge to files and returns no answers.
// The requests of a conversation stay together, in the order that [Writer.Flush] is given.
type Writer struct {
	dir, prefix, endpoint string
	limits                Limits
	body                  func(*llm.Prepared) ([]byte, error)

	mu      sync.Mutex
	pending map[string][]Request // by Key
	written map[[16]byte]bool

	out   *file
	index *file
	// Files lists the finished files, Requests counts the requests in them.
	Files    []string
	Requests int
}

var _ llm.Sender = (*Writer)(nil)

// file is the file that is being written.
type file struct {
	*bufio.Writer
	file     *os.File
	name     string
	requests int
	bytes    int64
}

// NewWriter returns a Writer of requests to an endpoint. Its files are in dir and their names begin
// with prefix. body renders the body of a request.
func NewWriter(dir, prefix, endpoint string, limits Limits, body func(*llm.Prepared) ([]byte, error)) *Writer {
	if limits.Requests <= 0 {
		limits.Requests = DefaultRequests
	}
	if limits.Bytes <= 0 {
		limits.Bytes = DefaultBytes
	}
	return &Writer{
		dir: dir, prefix: prefix, endpoint: endpoint, limits: limits, body: body,
		pending: map[string][]Request{}, written: map[[16]byte]bool{},
	}
}

// deferred is returned for every request that was put into a batch.
var deferred = &llm.Error{Kind: llm.KindDeferred, Message: "put into a batch; its answer comes later"}

// Send implements [llm.Sender]: it keeps the request until its conversation is flushed.
func (w *Writer) Send(_ context.Context, p *llm.Prepared) (llm.RawReply, error) {
	body, err := w.body(p)
	if err != nil {
		return llm.RawReply{}, err
	}
	id, _ := json.Marshal(p.Fingerprint)
	line := slices.Concat([]byte(`{"custom_id":`), id, []byte(`,"method":"POST","url":"/v1/chat/completions","body":`),
		body, []byte("}\n"))
	r := Request{ID: p.Fingerprint, Key: p.Key, Model: p.Model, Endpoint: w.endpoint, Kind: p.Kind,
		Transport: p.Transport, line: line}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending[p.Key] = append(w.pending[p.Key], r)
	own := *deferred
	return llm.RawReply{}, &own
}

// Flush writes the requests of one conversation in the order of their keys. Requests that were
// written before are skipped.
func (w *Writer) Flush(keys []string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []Request
	size := int64(0)
	for _, key := range keys {
		of := w.pending[key]
		delete(w.pending, key)
		sorting.Stable(of, func(a, b Request) int { return bytes.Compare(a.ID[:], b.ID[:]) })
		for _, r := range of {
			if half := [16]byte(r.ID[:16]); !w.written[half] {
				w.written[half] = true
				list, size = append(list, r), size+int64(len(r.line))
			}
		}
	}
	// A conversation that does not fit goes into the next file as a whole, if that has room.
	if w.out != nil && (w.out.requests+len(list) > w.limits.Requests || w.out.bytes+size > w.limits.Bytes) {
		if err := w.end(); err != nil {
			return err
		}
	}
	for i := range list {
		if err := w.write(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// write writes one request, in a new file if the last one is full.
func (w *Writer) write(r *Request) error {
	size := int64(len(r.line))
	if w.out != nil && (w.out.requests >= w.limits.Requests || w.out.bytes+size > w.limits.Bytes) {
		if err := w.end(); err != nil {
			return err
		}
	}
	if err := w.begin(); err != nil {
		return err
	}
	r.File = w.out.name
	index, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := w.out.Write(r.line); err != nil {
		return err
	}
	if _, err := w.index.Write(append(index, '\n')); err != nil {
		return err
	}
	w.out.requests++
	w.out.bytes += size
	w.Requests++
	return nil
}

// begin opens the next file and the index, if none is open.
func (w *Writer) begin() (err error) {
	if w.index == nil {
		if w.index, err = create(w.dir, w.prefix+".index"); err != nil {
			return err
		}
	}
	if w.out == nil {
		w.out, err = create(w.dir, fmt.Sprintf("%s-%04d.jsonl", w.prefix, len(w.Files)+1))
	}
	return err
}

func create(dir, name string) (*file, error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &file{Writer: bufio.NewWriterSize(f, 1<<16), file: f, name: name}, nil
}

// end closes the current file.
func (w *Writer) end() error {
	if w.out == nil {
		return nil
	}
	w.Files = append(w.Files, w.out.name)
	err := w.out.close()
	w.out = nil
	return err
}

// Close closes the last file.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.end()
	if w.index != nil && err == nil {
		err = w.index.close()
	}
	return err
}

func (f *file) close() error {
	err := f.Flush()
	if err == nil {
		err = f.file.Sync()
	}
	return errors.Join(err, f.file.Close())
}
