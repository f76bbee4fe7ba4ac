package transcript

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// defaultMaxConversationBytes is the limit of one conversation's JSON.
const defaultMaxConversationBytes = 64 << 20

// Options says how a log is read. The zero Options is right for most logs.
type Options struct {
	// Format is one of Formats, "" to detect it.
	Format string
	// MaxConversationBytes limits the JSON of one conversation; a longer one is a
	// Problem and reading goes on behind it. 0 means 64 MiB.
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

	format *format
	split  *splitter
	// next cuts the next record, ended says that there is none behind a broken one.
	next   func() (item, error)
	ended  bool
	decode decoder
	gold   *tauGold
	pool   *pool
	// shared is what the records of an envelope share.
	shared value.Value
	err    error
}

// Open returns a reader of the log r. file is its name in places and messages, "-"
// for standard input. Nothing is read before the first Next.
func Open(ctx context.Context, file string, r io.Reader, opts Options) *Reader {
	if opts.MaxConversationBytes <= 0 {
		opts.MaxConversationBytes = defaultMaxConversationBytes
	}
	if opts.IDs == nil {
		opts.IDs = &IDs{}
	}
	return &Reader{ctx: ctx, file: file, in: r, opts: opts}
}

// Format returns the name of the log's format once Next was called.
func (r *Reader) Format() string {
	if r.format == nil {
		return ""
	}
	return r.format.name
}

// All iterates over the log: a conversation, or the error in its
// place. Behind a *Problem the iteration goes on; any other error is the last.
func (r *Reader) All() iter.Seq2[*Conversation, error] {
	return func(yield func(*Conversation, error) bool) {
		defer r.Close()
		for {
			c, err := r.Next()
			if errors.Is(err, io.EOF) || !yield(c, err) {
				return
			}
			var p *Problem
			if err != nil && !errors.As(err, &p) {
				return
			}
		}
	}
}

// Close stops the goroutines of a reader that was not read to its end, without waiting
// for a read that takes its time. It does not close the underlying reader.
func (r *Reader) Close() {
	if r.pool != nil {
		r.pool.cancel()
	}
}

// Next returns the next conversation. At the end of the log the error is io.EOF. A
// *Problem is a record that cannot be read, with the next one behind it. A
// *FormatError, an error of the underlying reader or of the context ends the log.
func (r *Reader) Next() (*Conversation, error) {
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	if r.err == nil && r.split == nil {
		r.err = r.start()
	}
	if r.err != nil {
		return nil, r.err
	}
	out, err := r.outcome()
	switch {
	case err != nil:
		r.err = err
		if r.gold != nil && errors.Is(err, io.EOF) {
			out.problem = r.gold.left()
		}
		if out.problem == nil {
			return nil, err
		}
		return nil, out.problem
	case out.problem != nil:
		return nil, out.problem
	}
	r.complete(out.conversation)
	return out.conversation, nil
}

// outcome is the result of one record.
type outcome struct {
	conversation *Conversation
	problem      *Problem
}

func (r *Reader) outcome() (outcome, error) {
	if r.pool != nil {
		return r.pool.next()
	}
	it, err := r.record()
	if err != nil {
		return outcome{}, err
	}
	return r.decode.item(it), nil
}

// record reads the next record. A log that ends inside one ends with a problem.
func (r *Reader) record() (item, error) {
	if r.ended {
		return item{}, io.EOF
	}
	it, err := r.next()
	var end *endError
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return it, err
	case errors.As(err, &end):
		it.problem, r.ended = end.message, true
		return it, nil
	}
	return it, fmt.Errorf("read %s: %w", r.file, err)
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
	c.ID = r.opts.IDs.Unique(strings.Clone(c.ID))
	if r.gold != nil {
		r.gold.add(c)
	}
}

// start finds out how the log is to be read.
func (r *Reader) start() error {
	in, err := unwrap(r.file, r.in)
	if err != nil {
		return r.startError(err)
	}
	split := newSplitter(in, r.opts.MaxConversationBytes)
	first, err := split.peek()
	if err != nil {
		return r.startError(err)
	}
	// An error after the first byte is found again when reading reaches it.
	head, _ := in.Peek(headSize)
	if err := r.detect(head); err != nil {
		return err
	}
	r.split = split
	r.decode = decoder{file: r.file, format: r.format, opts: &r.opts, shared: &r.shared}
	r.next = r.frame(first, head)
	if r.opts.Gold != nil {
		r.gold = &tauGold{file: r.file, in: r.opts.Gold}
	}
	if r.opts.Parallel > 1 {
		r.pool = newPool(r, r.opts.Parallel)
	}
	return nil
}

func (r *Reader) startError(err error) error {
	var unreadable *FormatError
	var end *endError
	switch {
	case errors.Is(err, io.EOF), errors.As(err, &unreadable):
		return err
	case errors.As(err, &end):
		return &FormatError{r.file, "gzip", end.message}
	}
	return fmt.Errorf("read %s: %w", r.file, err)
}

// detect sets the format.
func (r *Reader) detect(head []byte) error {
	names := strings.Join(Formats(), ", ")
	name, err := r.opts.Format, error(nil)
	if name == "" {
		if name, _, err = Detect(head); err != nil {
			return &FormatError{r.file, "", err.Error()}
		}
		if name == "" && looksLikeLines(head) {
			name = native // the first line may be the one that is broken
		}
	}
	if r.format = formatOf(name); r.format != nil {
		return nil
	}
	readable := "the readable formats are " + names + " (--input-format forces one)"
	switch {
	case r.opts.Format != "":
		readable = "no such log format: " + quote(name) + "; the formats are " + names
	case name != "":
		readable = "the log looks like " + name + ", which is known but unsupported yet; " + readable
	default:
		begins := quote(string(head[:min(len(head), 60)]))
		readable = "the log has no form that is known (it begins with " + begins + "); " + readable
	}
	return &FormatError{r.file, name, readable}
}

// decoder turns records into conversations. It keeps working memory and the last
// inventory; each goroutine has its own.
type decoder struct {
	file   string
	format *format
	opts   *Options
	// lines says that the log holds one record a line.
	lines bool
	// shared is what the records of an envelope share: complete before the first one.
	shared *value.Value
	parser value.Parser
	tools  *inventory
	// at are the places in the list of the last record.
	list string
	at   []string
}

// item decodes one record.
func (d *decoder) item(it item) outcome {
	src := Source{File: d.file, Format: d.format.name, Index: it.index}
	if d.lines {
		src.Line = it.line
	}
	if it.problem != "" {
		return outcome{problem: &Problem{Source: src, Message: it.problem}}
	}
	v, err := d.parser.ParseString(it.text)
	if err != nil {
		return outcome{problem: &Problem{Source: src, Message: err.Error() + ": the record was passed over"}}
	}
	c := &Conversation{Source: src}
	dr := &draft{Conversation: c, decoder: d, inventory: d.tools}
	if odd := d.parser.Oddities(); odd != (value.Oddities{}) {
		if odd.RepeatedKeys > 0 {
			dr.note("repeated_key", "", fmt.Sprintf("%d keys occur twice in their object: the last value counts",
				odd.RepeatedKeys))
		}
		if odd.InvalidUTF8 {
			dr.note("invalid_utf8", "", "bytes that are no UTF-8 were read as U+FFFD")
		}
	}
	var wrong *Problem
	if errors.As(d.format.read(dr, v), &wrong) {
		wrong.Source = src
		return outcome{problem: wrong}
	}
	d.tools = dr.inventory
	if c.Tools == nil && d.opts.Tools != nil {
		c.Tools, dr.inventory = d.opts.Tools, newInventory("", d.opts.Tools, nil)
	}
	dr.finish()
	return outcome{conversation: c}
}
