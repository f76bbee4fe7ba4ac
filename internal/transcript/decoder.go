package transcript

import (
	"errors"
	"fmt"

	"github.com/judgekit/judge/internal/value"
)

// decoder turns records into conversations. It keeps working memory and the last
// inventory; each goroutine has its own.
type decoder struct {
	file, format string
	opts         *Options
	// lines says that the log holds one record a line.
	lines  bool
	parser value.Parser
	tools  *inventory
	shared *tau2Shared
}

// source returns the place of a record.
func (d *decoder) source(it item) Source {
	s := Source{File: d.file, Format: d.format, Index: it.index}
	if d.lines {
		s.Line = it.line
	}
	return s
}

// item decodes one record.
func (d *decoder) item(it item) outcome {
	src := d.source(it)
	if it.problem != "" {
		message := it.problem
		if message == tooLong {
			message = fmt.Sprintf(tooLong, d.opts.MaxConversationBytes)
		}
		return outcome{problem: &Problem{Source: src, Message: message}}
	}
	v, err := d.parser.Parse(it.data)
	if err != nil {
		return outcome{problem: &Problem{Source: src, Message: err.Error() + ": the record was passed over"}}
	}
	c := &Conversation{Source: src}
	dr := &draft{Conversation: c, opts: d.opts, tools: d.tools, parser: &d.parser}
	if odd := d.parser.Oddities(); odd != (value.Oddities{}) {
		if odd.RepeatedKeys > 0 {
			dr.note("repeated_key", "", fmt.Sprintf("%d keys stand twice in their object: the last value counts", odd.RepeatedKeys))
		}
		if odd.InvalidUTF8 {
			dr.note("invalid_utf8", "", "bytes that are no UTF-8 were read as U+FFFD")
		}
	}
	if err := d.read(dr, v); err != nil {
		p := &Problem{Source: src, Message: err.Error()}
		var field *fieldError
		if errors.As(err, &field) {
			p.Field, p.Message = field.field, field.message
		}
		return outcome{problem: p}
	}
	d.tools = dr.tools
	if c.Tools == nil && d.opts.Tools != nil {
		c.Tools = d.opts.Tools
		dr.tools = d.given()
	}
	dr.finish()
	return outcome{conversation: c}
}

// given returns the inventory of the options.
func (d *decoder) given() *inventory {
	return &inventory{tools: d.opts.Tools, names: toolNames(d.opts.Tools)}
}

func (d *decoder) read(dr *draft, v value.Value) error {
	switch d.format {
	case RubricExample:
		return dr.readRubricExample(v)
	case TauBench:
		return dr.readTau(v)
	case Tau2Results:
		return dr.readTau2(v, d.shared)
	case AnthropicMessages:
		return dr.readAnthropic(v)
	case OpenAIResponse, OpenAIResponsesRequest, OpenAIResponsesItems:
		return dr.readResponses(v)
	}
	return dr.readChat(v)
}
