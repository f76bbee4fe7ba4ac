package format

import (
	"cmp"
	"fmt"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

// decoder turns records into conversations. It keeps buffers and the last inventory; each goroutine
// has its own.
type decoder struct {
	file   string
	format *format
	opts   Options
	// lines says that the log has one record per line.
	lines bool
	// shared holds what the records of an envelope share. It is complete before the first record.
	shared value.Value
	parser value.Parser
	tools  *inventory
	// at holds the places in the list of the last record.
	list string
	at   []string
}

// decode decodes one record.
func (d *decoder) decode(it container.Record) outcome {
	src := transcript.Source{File: d.file, Format: d.format.name, Index: it.Index}
	if d.lines {
		src.Line = it.Line
	}
	v, err := value.Value{}, error(nil)
	if it.Problem == "" {
		if v, err = d.parser.ParseString(it.Text); err != nil {
			it.Problem = err.Error() + ": the record was passed over"
		}
	}
	if it.Problem != "" {
		return outcome{problem: &transcript.Problem{Source: src, Message: it.Problem}}
	}
	c := &transcript.Conversation{Source: src}
	dr := &draft{Conversation: c, decoder: d, inventory: d.tools}
	dr.oddities(d.parser.Oddities())
	if err := d.format.read(dr, v); err != nil {
		return outcome{problem: problemOf(err, src)}
	}
	d.tools = dr.inventory
	if c.Tools == nil && d.opts.Tools != nil {
		c.Tools, dr.inventory = d.opts.Tools, newInventory("", d.opts.Tools, nil)
	}
	dr.finish()
	out := outcome{conversation: c, doubts: dr.doubts(), aside: dr.aside}
	if len(c.Calls) == 0 {
		out.mark = callMark(d.callableParts(v))
		for i := range c.Messages {
			out.mark = cmp.Or(out.mark, callMark(c.Messages[i].Extra)) // of a text that is JSON
		}
	}
	return out
}

// callableParts returns the part of a record that can contain calls. In a native record that is the
// messages, because its other keys may come from another format.
func (d *decoder) callableParts(v value.Value) value.Value {
	if list := v.Field(d.format.callsIn); d.format.callsIn != "" && !list.IsNull() {
		return list
	}
	return v
}

// oddities notes what was odd about the JSON of the record.
func (d *draft) oddities(odd value.Oddities) {
	if odd.RepeatedKeys > 0 {
		d.note("repeated_key", "", fmt.Sprintf("keys that occur twice in their object: %d; the last value counts",
			odd.RepeatedKeys))
	}
	if odd.InvalidUTF8 {
		d.note("invalid_utf8", "", "bytes that are not UTF-8 were read as U+FFFD and two hexadecimal digits")
	}
}
