package format

import (
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

// Reader reads the conversations of one log in order. Its memory grows with the largest conversation (with
// Parallel: with a few of them), not with the log. It is not safe for concurrent use.
type Reader struct {
	decoder
	ctx      context.Context
	in       io.Reader
	detected Detection
	log      *container.Log
	records  *container.Records
	// next returns the next record, which may be built from several.
	next func() (container.Record, error)
	gold *tauGold
	pool *pool
	// spool holds the pieces of a log that is grouped by conversation.
	spool *container.Spool
	seen  seen
	// held holds records that are not conversations, before the first one that is; begun says that
	// that one was found.
	held  []outcome
	begun bool
	err   error
}

// Open returns a reader of the log r. file is its name in places and messages, "-" for standard
// input. Nothing is read before the first Next.
func Open(ctx context.Context, file string, r io.Reader, opts Options) *Reader {
	if opts.MaxConversationBytes <= 0 {
		opts.MaxConversationBytes = defaultMaxConversationBytes
	}
	if opts.IDs == nil {
		opts.IDs = &IDs{}
	}
	return &Reader{ctx: ctx, in: r, decoder: decoder{file: file, opts: opts}}
}

// Format returns the name of the log's format, after Next was called.
func (r *Reader) Format() string {
	if r.format == nil {
		return ""
	}
	return r.format.name
}

// Detection says how the log's format was recognised, after Next was called. If Options.Format is
// set, it is that format.
func (r *Reader) Detection() Detection { return r.detected }

// All iterates over the log and yields conversations and errors. After a *Problem the iteration
// continues; any other error is the last.
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

// Close stops the goroutines of a reader that was not read to its end. It does not wait for a slow
// read, and does not close the underlying reader.
func (r *Reader) Close() {
	if r.pool != nil {
		r.pool.cancel() // its goroutine frees what it reads
		return
	}
	r.free()
}

// free frees what reading holds besides memory.
func (r *Reader) free() {
	if r.log != nil {
		r.log.Close()
	}
	if r.spool != nil {
		r.spool.Close()
	}
}

// Next returns the next conversation. At the end of the log the error is io.EOF. A *Problem is a
// record that cannot be read; Next can be called again. A *FormatError, an error of the underlying
// reader or of the context ends the log.
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
		r.seen.unreadable++
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
	// mark is the sign of calls in a record that yielded no call; "" if none.
	mark string
	// doubts speak against this reading of the record.
	doubts doubts
	// aside says that the record is not a conversation.
	aside bool
}

// maxHeld limits the records that are held in case the log contains nothing else.
const maxHeld = 1000

// outcome returns the next conversation or problem. Records that are not conversations are returned
// only if the log contains nothing else.
func (r *Reader) outcome() (outcome, error) {
	for {
		out, err := r.decoded()
		switch {
		case errors.Is(err, io.EOF) && len(r.held) > 0:
			out, r.held = r.held[0], r.held[1:]
			return out, nil
		case err != nil || out.problem != nil:
			return out, err
		case !out.aside:
			r.seen.aside += len(r.held)
			r.held, r.begun = nil, true
			return out, nil
		case !r.begun && len(r.held) < maxHeld:
			r.held = append(r.held, out)
		default:
			r.seen.aside++
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

// end returns what follows the last record: first the unused rows of the gold file.
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

// complete adds what must be added in log order: the id and the gold labels.
func (r *Reader) complete(c *transcript.Conversation) {
	if c.ID == "" {
		n := c.Source.Line
		if n == 0 {
			n = c.Source.Index
		}
		c.ID, c.Unnamed = fmt.Sprintf("%s/%d", baseName(r.file), n), true
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

func wholeFile(v value.Value, add func(part)) { add(part{text: v.Raw()}) }
