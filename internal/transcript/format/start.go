package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

// start finds out how to read the log.
func (r *Reader) start() (err error) {
	if r.log, err = container.Open(r.in, containerOptions(r.opts.MaxConversationBytes)); err != nil {
		return readError(r.file, r.log, err)
	}
	p, err := r.detect(r.log.Head())
	if err != nil && r.detected.Format == "" {
		if head := r.log.LongHead(); len(head) > 0 && (head[0] == '{' || head[0] == '[') { // the first record may be longer
			p, err = r.detect(head)
		}
	}
	if err != nil {
		return err
	}
	layout := r.format.in
	whole := p.whole.IsList() && r.bareMessages(p.first)
	layout.Whole = whole && len(r.detected.Inside) == 0
	r.records = r.log.Records(r.file, layout)
	r.next, r.lines = r.records.Next, r.records.Lines
	for _, key := range r.detected.Inside {
		r.next = opened(r.next, key, whole)
	}
	if r.format.parts != nil {
		g := &grouper{format: r.format, limit: r.opts.MaxConversationBytes, in: r.next, names: map[string]int32{},
			said: map[uint64]int32{}}
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

// readError returns the error for a log that cannot be opened.
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

// detect sets the format, and returns the beginning of the records.
func (r *Reader) detect(head []byte) (*probe, error) {
	p, among := newProbe(head), formats
	if m := r.opts.Map; m != nil {
		r.format, r.detected = m.format(), Detection{Format: Mapped, Readable: true, Evidence: "--map"}
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
		// The first line may be the broken one.
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

// unreadable describes a log that cannot be read, and says what to do; the advice is "" if the
// message contains it.
func (r *Reader) unreadable(head []byte) (message, advice string) {
	names := strings.Join(Formats(), ", ")
	name, begin := r.detected.Format, value.Quote(string(head[:min(len(head), 60)]))
	switch {
	case r.opts.Format != "":
		return "no such log format: " + value.Quote(name) + "; the formats are " + names, ""
	case name == "" && !strings.ContainsAny(string(head[:min(len(head), 1)]), "{["):
		return "the log has no form that is known: it is neither JSON nor a table with known columns (it begins with " + begin + ")",
			"docs/logs.md shows ten lines of Python that write a log from anything"
	case name == "":
		return "the log has no form that is known (it begins with " + begin + ")",
			"judge logs inspect shows what it holds, --map says where its messages are"
	}
	return "the log looks like " + name + " (" + r.detected.Evidence + "): " + lookUp(name).advice, ""
}

// looksLikeLines reports whether a later line of head contains a record.
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

// bareMessages reports whether a list that begins with first contains messages of one conversation.
func (r *Reader) bareMessages(first value.Value) bool {
	if r.format.bare != nil {
		return r.format.bare(first)
	}
	return r.format.parts == nil && first.Has("role") && !first.Has("messages")
}
