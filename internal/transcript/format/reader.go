package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

// Reader reads the conversations of one log in their order. Its memory grows with
// the largest conversation (with Parallel: with a few of them), not with the log.
// It is not safe for concurrent use.
type Reader struct {
	decoder
	ctx      context.Context
	in       io.Reader
	detected Detection
	log      *container.Log
	records  *container.Records
	// next returns the next record, which may have been put together from several.
	next func() (container.Record, error)
	gold *tauGold
	pool *pool
	// spool holds the pieces of a log that is sorted by conversation.
	spool *container.Spool
	seen  seen
	// held are records that are not conversations, before the first one that is.
	held []outcome
	err  error
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
	return &Reader{ctx: ctx, in: r, decoder: decoder{file: file, opts: opts}}
}

// Format returns the name of the log's format once Next was called.
func (r *Reader) Format() string {
	if r.format == nil {
		return ""
	}
	return r.format.name
}

// Detection says by what the log's format was recognised, once Next was called. With
// Options.Format it is what that says.
func (r *Reader) Detection() Detection { return r.detected }

// All iterates over the log: a conversation, or the error in its
// place. Behind a *Problem the iteration goes on; any other error is the last.
func (r *Reader) All() iter.Seq2[*transcript.Conversation, error] {
	return func(yield func(*transcript.Conversation, error) bool) {
		defer r.Close()
		for {
			c, err := r.Next()
			if errors.Is(err, io.EOF) || !yield(c, err) {
				return
			}
			var p *transcript.Problem
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
		r.pool.cancel() // its goroutine frees what it reads
		return
	}
	r.free()
}

// free gives back what reading took beside memory.
func (r *Reader) free() {
	if r.log != nil {
		r.log.Close()
	}
	if r.spool != nil {
		r.spool.Close()
	}
}

// Next returns the next conversation. At the end of the log the error is io.EOF. A
// *Problem is a record that cannot be read, with the next one after it. A
// *FormatError, an error of the underlying reader or of the context ends the log.
func (r *Reader) Next() (*transcript.Conversation, error) {
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	if r.err == nil && r.records == nil {
		r.err = r.start()
	}
	if r.err != nil {
		return nil, r.err
	}
	out, err := r.outcome()
	if err != nil {
		return nil, r.end(err)
	}
	if out.problem != nil {
		return nil, out.problem
	}
	r.seen.add(&out)
	r.complete(out.conversation)
	return out.conversation, nil
}

// outcome is the result of one record.
type outcome struct {
	conversation *transcript.Conversation
	problem      *transcript.Problem
	// mark is the sign of calls in a record that gave no call, "" for none.
	mark string
	// doubts speak against this reading of the record.
	doubts doubts
	// aside says that the record is not a conversation.
	aside bool
}

// maxHeld limits the records that are kept because the log may hold nothing else.
const maxHeld = 1000

// outcome returns the next conversation or problem. Records that are not conversations come out only if
// the log holds nothing else.
func (r *Reader) outcome() (outcome, error) {
	for {
		out, err := r.decoded()
		switch {
		case err == nil && out.aside && r.seen.filled == 0 && len(r.held) < maxHeld:
			r.held = append(r.held, out)
		case err == nil && out.aside:
			r.seen.aside++
		case errors.Is(err, io.EOF) && r.seen.filled == 0 && len(r.held) > 0:
			out, r.held = r.held[0], r.held[1:]
			return out, nil
		case err == nil && out.problem == nil && len(r.held) > 0:
			r.seen.aside += len(r.held)
			r.held = nil
			return out, nil
		default:
			return out, err
		}
	}
}

// decoded returns the outcome of the next record.
func (r *Reader) decoded() (outcome, error) {
	if r.pool != nil {
		return r.pool.next()
	}
	it, err := r.record()
	if err != nil {
		return outcome{}, err
	}
	r.shared = r.records.Shared
	return r.decode(it), nil
}

// end returns what follows the last record. Rows of the gold file that are left come before it.
func (r *Reader) end(err error) error {
	if r.err = err; !errors.Is(err, io.EOF) {
		return err
	}
	if r.err = r.atEnd(); r.gold != nil && errors.Is(r.err, io.EOF) {
		if left := r.gold.left(); left != nil {
			return left
		}
	}
	return r.err
}

// record reads the next record.
func (r *Reader) record() (container.Record, error) {
	it, err := r.next()
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("read %s: %w", r.file, err)
	}
	return it, err
}

// complete adds what must be added in the log's order: the id and the gold labels.
func (r *Reader) complete(c *transcript.Conversation) {
	if c.ID == "" {
		n := c.Source.Line
		if n == 0 {
			n = c.Source.Index
		}
		c.ID = fmt.Sprintf("%s/%d", baseName(r.file), n)
	}
	c.ID = r.opts.IDs.Unique(strings.Clone(c.ID))
	if len(r.detected.Also) > 0 && r.seen.conversations == 1 {
		detail := fmt.Sprintf("read as %s because of %s; %s fits too (--input-format)", r.format.name,
			r.detected.Evidence, strings.Join(r.detected.Also, ", "))
		(&draft{Conversation: c}).note("format_ambiguous", "", detail)
	}
	if r.gold != nil {
		r.gold.add(c)
	}
}

// start finds out how the log is to be read.
func (r *Reader) start() (err error) {
	if r.log, err = container.Open(r.in, containerOptions(r.opts.MaxConversationBytes)); err != nil {
		return readError(r.file, r.log, err)
	}
	p, err := r.detect(r.log.Head())
	if err != nil {
		return err
	}
	layout := r.format.in
	whole := p.whole.IsList() && r.bareMessages(p.first)
	layout.Whole = whole && r.detected.Inside == ""
	r.records = r.log.Records(r.file, layout)
	r.next, r.lines = r.records.Next, r.records.Lines
	if key := r.detected.Inside; key != "" {
		r.next = opened(r.next, key, whole)
	}
	if r.format.parts != nil {
		g := &grouper{format: r.format, limit: r.opts.MaxConversationBytes, in: r.next, names: map[string]int32{}}
		r.next, r.spool, r.lines = g.next, &g.spool, false
	}
	if r.opts.Gold != nil {
		r.gold = &tauGold{file: r.file, in: r.opts.Gold}
	}
	if r.opts.Parallel > 1 {
		r.pool = newPool(r, r.opts.Parallel)
	}
	return nil
}

// readError returns the error of a log that cannot be opened.
func readError(file string, log *container.Log, err error) error {
	var broken *container.Broken
	switch {
	case errors.Is(err, io.EOF):
		return err
	case errors.As(err, &broken):
		form := broken.Form
		if form == "" && log != nil {
			form = strings.Join(log.Forms, ", ")
		}
		return &transcript.FormatError{File: file, Format: form, Message: broken.Message}
	}
	return fmt.Errorf("read %s: %w", file, err)
}

// detect sets the format, and returns the beginning of its records.
func (r *Reader) detect(head []byte) (*probe, error) {
	p, among := newProbe(head), formats
	if m := r.opts.Map; m != nil {
		r.format, r.detected = m.format(), Detection{Format: mapped, Readable: true, Evidence: "--map"}
		return p, nil
	}
	if f := formatOf(r.opts.Format); f != nil {
		among = []*format{f}
	}
	d, p, err := detect(p, among)
	switch {
	case r.opts.Format != "":
		d = Detection{Format: r.opts.Format, Evidence: "--input-format", Inside: d.Inside}
	case err != nil:
		return nil, &transcript.FormatError{File: r.file, Message: err.Error()}
	case d.Format == "" && looksLikeLines(head):
		// The first line may be the one that is broken.
		d = Detection{Format: native.name, Evidence: "a later line that can be read"}
	}
	r.format = formatOf(d.Format)
	r.detected = d
	if r.detected.Readable = r.format != nil; r.detected.Readable {
		return p, nil
	}
	message, advice := r.unreadable(head)
	return nil, &transcript.FormatError{File: r.file, Format: d.Format, Message: message, Advice: advice}
}

// unreadable says what a log is that cannot be read, and what to do; the advice is "" if the
// message says it.
func (r *Reader) unreadable(head []byte) (message, advice string) {
	names := strings.Join(Formats(), ", ")
	readable := "the readable formats are " + names + " (--input-format forces one)"
	name := r.detected.Format
	switch {
	case r.opts.Format != "":
		return "no such log format: " + value.Quote(name) + "; the formats are " + names, ""
	case name == "":
		return "the log has no form that is known (it begins with " + value.Quote(string(head[:min(len(head), 60)])) + ")",
			"judge logs inspect shows what it holds, --map says where its messages are"
	}
	if advice := lookUp(name).advice; advice != "" {
		return "the log looks like " + name + " (" + r.detected.Evidence + "): " + advice, ""
	}
	return "the log looks like " + name + ", which is known but unsupported yet; " + readable, ""
}

// looksLikeLines reports whether a later line of head holds a record.
func looksLikeLines(head []byte) bool {
	for range 20 {
		_, rest, found := bytes.Cut(head, []byte{'\n'})
		if !found {
			return false
		}
		head = rest
		line, _, _ := bytes.Cut(head, []byte{'\n'})
		if v, err := value.Parse(bytes.TrimSpace(line)); err == nil {
			d, err := Detect(line)
			return d.Readable && err == nil && v.Kind() == value.Object
		}
	}
	return false
}

// bareMessages reports whether a list that begins with first holds messages and is one conversation.
func (r *Reader) bareMessages(first value.Value) bool {
	if r.format.bare != nil {
		return r.format.bare(first)
	}
	return r.format.parts == nil && first.Has("role") && !first.Has("messages")
}

func wholeFile(v value.Value, add func(part)) { add(part{text: v.Raw()}) }
