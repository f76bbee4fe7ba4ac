package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// defaultMaxConversationBytes is the limit of one conversation's JSON.
const defaultMaxConversationBytes = 64 << 20

// Options says how a log is read. The zero Options is right for most logs.
type Options struct {
	// Format is one of Formats, "" to detect it.
	Format string
	// MaxConversationBytes limits the JSON of one conversation; a longer one is a
	// Problem and reading goes on behind it. 0 means defaultMaxConversationBytes.
	MaxConversationBytes int
	// Tools is the inventory of conversations whose log holds none.
	Tools []Tool
	// TextCalls makes calls that are only written in the agent's text into Calls
	// with Proposed set. They are noted in any case.
	TextCalls bool
	// Gold holds the replayed outcomes of a τ-bench file, line k for element k (see
	// tauGold); nil where there are none.
	Gold io.Reader
	// IDs makes ids unique across the files of a run; nil for this file only.
	IDs *IDs
	// Parallel is how many goroutines decode; 0 and 1 mean none beside the caller.
	// The order and the result are the same.
	Parallel int
}

// Reader reads the conversations of one log in their order. Its memory grows with
// the largest conversation (with Parallel: with a few of them), not with the log.
// It is not safe for concurrent use.
type Reader struct {
	ctx  context.Context
	file string
	in   io.Reader
	opts Options

	started bool
	format  string
	next    func() (item, error)
	split   *splitter
	decode  *decoder
	ids     *IDs
	gold    *tauGold
	pool    *pool
	queued  []error
	err     error
}

// Open returns a reader of the log r. file is its name in places and messages, "-"
// for standard input. Nothing is read before the first Next.
func Open(ctx context.Context, file string, r io.Reader, opts Options) *Reader {
	if opts.MaxConversationBytes <= 0 {
		opts.MaxConversationBytes = defaultMaxConversationBytes
	}
	ids := opts.IDs
	if ids == nil {
		ids = &IDs{}
	}
	return &Reader{ctx: ctx, file: file, in: r, opts: opts, ids: ids}
}

// Format returns the name of the log's format once Next was called.
func (r *Reader) Format() string { return r.format }

// All iterates over the log: a conversation, or the error that stands in its
// place. Behind a *Problem the iteration goes on; any other error is the last.
func (r *Reader) All() iter.Seq2[*Conversation, error] {
	return func(yield func(*Conversation, error) bool) {
		defer r.Close()
		for {
			c, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(c, err) {
				return
			}
			var p *Problem
			if err != nil && !errors.As(err, &p) {
				return
			}
		}
	}
}

// Close stops the goroutines of a reader that was not read to its end. It does not
// close the underlying reader.
func (r *Reader) Close() {
	if r.pool != nil {
		r.pool.close()
	}
}

// Next returns the next conversation. At the end of the log the error is io.EOF. A
// *Problem is a record that cannot be read, with the next one behind it. A
// *FormatError, an error of the underlying reader or of the context ends the log.
func (r *Reader) Next() (*Conversation, error) {
	if len(r.queued) > 0 {
		err := r.queued[0]
		r.queued = r.queued[1:]
		return nil, err
	}
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	if r.err == nil && !r.started {
		r.started = true
		r.err = r.start()
	}
	if r.err != nil {
		return nil, r.err
	}
	out, err := r.outcome()
	if err != nil {
		r.err = r.final(err)
		if len(r.queued) > 0 {
			return r.Next()
		}
		return nil, r.err
	}
	if out.problem != nil {
		return nil, out.problem
	}
	r.complete(out.conversation)
	return out.conversation, nil
}

// outcome is what became of one record.
type outcome struct {
	conversation *Conversation
	problem      *Problem
}

func (r *Reader) outcome() (outcome, error) {
	if r.pool != nil {
		return r.pool.next()
	}
	it, err := r.next()
	if err != nil {
		return outcome{}, r.endItem(it, err)
	}
	return r.decode.item(it), nil
}

// complete adds what must be added in the log's order: the id and the gold labels.
func (r *Reader) complete(c *Conversation) {
	if c.ID == "" {
		n := c.Source.Line
		if n == 0 {
			n = c.Source.Index
		}
		c.ID = fmt.Sprintf("%s/%d", baseName(r.file), n)
	}
	c.ID = r.ids.Unique(strings.Clone(c.ID))
	if r.gold != nil {
		r.gold.add(c)
	}
}

// recordEnd is the end of the log inside a record: a Problem, and then io.EOF.
type recordEnd struct{ problem *Problem }

func (e *recordEnd) Error() string { return e.problem.Error() }

// endItem turns the error of cutting records into the end of the log.
func (r *Reader) endItem(it item, err error) error {
	var broken *damagedError
	var end *recordEnd
	switch {
	case errors.As(err, &end):
		return err
	case errors.As(err, &broken):
		return &recordEnd{&Problem{Source: r.decode.source(it), Message: broken.Error() + ": what stands before was read, the rest is lost"}}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &recordEnd{&Problem{Source: r.decode.source(it), Message: "the file ends inside of this record: it is cut short"}}
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	return fmt.Errorf("read %s: %w", r.file, err)
}

// final queues the problem of a log that ends inside a record, and what the gold
// file has left over.
func (r *Reader) final(err error) error {
	var end *recordEnd
	if errors.As(err, &end) {
		r.queued = append(r.queued, end.problem)
		err = io.EOF
	}
	if errors.Is(err, io.EOF) && r.gold != nil {
		if p := r.gold.left(); p != nil {
			r.queued = append(r.queued, p)
		}
	}
	return err
}

// start finds out how the log is to be read.
func (r *Reader) start() error {
	in, err := unwrap(r.file, r.in)
	if err != nil {
		return r.startError(err)
	}
	r.split = newSplitter(in, r.opts.MaxConversationBytes)
	first, err := r.split.peek()
	if err != nil {
		return r.startError(err)
	}
	// An error behind the first byte is met again when reading comes to it.
	head, _ := in.Peek(headSize)
	if err := r.detect(head); err != nil {
		return err
	}
	r.decode = &decoder{file: r.file, format: r.format, opts: &r.opts}
	r.frame(first, head)
	if r.opts.Gold != nil {
		r.gold = newTauGold(r.file, r.opts.Gold)
	}
	if r.opts.Parallel > 1 {
		r.pool = newPool(r, r.opts.Parallel)
	}
	return nil
}

func (r *Reader) startError(err error) error {
	var f *FormatError
	var broken *damagedError
	switch {
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return io.EOF
	case errors.As(err, &f):
		return f
	case errors.As(err, &broken):
		return &FormatError{r.file, "gzip", broken.Error()}
	}
	return fmt.Errorf("read %s: %w", r.file, err)
}

// detect sets the format.
func (r *Reader) detect(head []byte) error {
	formats := strings.Join(Formats(), ", ")
	if r.opts.Format != "" {
		for _, f := range Formats() {
			if f == r.opts.Format {
				r.format = f
				return nil
			}
		}
		return &FormatError{r.file, r.opts.Format, "no such log format: " + quote(r.opts.Format) + "; the formats are " + formats}
	}
	format, known, err := Detect(head)
	switch {
	case err != nil:
		return &FormatError{r.file, "", err.Error()}
	case known:
		r.format = format
		return nil
	case format != "":
		return &FormatError{r.file, format, "the log looks like " + format + ", which is known but unsupported yet; the readable formats are " + formats + " (--input-format forces one)"}
	case looksLikeLines(head):
		// The first line may be the one that is broken.
		r.format = Native
		return nil
	}
	return &FormatError{r.file, "", "the log has no form that is known (it begins with " + quote(string(head[:min(len(head), 60)])) + "); the readable formats are " + formats + " (--input-format forces one)"}
}
