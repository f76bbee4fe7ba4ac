package prompt

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// HasExpected reports whether a log contains the calls or the answer that the agent should give.
func HasExpected(conv *transcript.Conversation) bool {
	return conv.Expected != nil && (conv.Expected.Calls != nil || len(conv.Expected.Outputs) > 0)
}

// Expected returns the block with the expected calls and answers. Only some rubrics show it.
func (v *View) Expected() string {
	var b strings.Builder
	v.block(&b, "expected", v.expected)
	return b.String()
}

func (v *View) expectedLines() (lines []byte) {
	if !HasExpected(v.conv) {
		return nil
	}
	add := func(o object) { lines = append(appendSafe(lines, value.OfObject(o...)), '\n') }
	e, agent := v.conv.Expected, v.conv.ExpectedOfAgent()
	for _, i := range agent {
		call, o := &e.Calls[i], object{}
		o.addText("name", call.Name)
		o.add("parameters", call.Arguments)
		if !call.Allowed.IsNull() {
			o.add("allowed_values", call.Allowed)
		}
		if call.Compare != nil {
			o.add("parameters_that_count", value.OfStrings(call.Compare...))
		}
		add(o)
	}
	if e.Calls != nil && len(agent) == 0 {
		add(object{{Key: "note", Value: value.OfString("no call is expected")}})
	}
	for _, text := range e.Outputs {
		add(object{{Key: "answer_says", Value: value.OfString(mark(text, v.opts.Marker))}})
	}
	return lines
}
