package planted

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// until returns a variant with the record up to the base call, as the judge of the call sees it.
// Its messages, calls and tools are copies.
func (s *site) until(plan Plan) Variant {
	c := *s.c
	c.Messages, c.Calls = slices.Clone(s.c.Messages[:s.call.Message+1]), slices.Clone(s.c.Calls)
	c.Tools = slices.Clone(s.c.Tools)
	plan.Conversation, plan.Call, plan.Tier = s.c.ID, s.Base.Call, s.Tier
	return Variant{Plan: plan, conversation: &c, call: s.Base.Call}
}

// calling returns a variant with another call instead of the base call.
func (s *site) calling(plan Plan, name string, args value.Value) Variant {
	v := s.until(plan)
	v.setCall(name, args)
	return v
}

// setCall changes the judged call.
func (v *Variant) setCall(name string, args value.Value) {
	call := &v.conversation.Calls[v.call]
	call.Name, call.Arguments, call.RawArguments = name, args, args.JSON()
}

// alone removes the other calls and the text from the judged call's message.
func (v *Variant) alone() {
	m := &v.conversation.Messages[len(v.conversation.Messages)-1]
	*m = transcript.Message{Role: transcript.Assistant, Calls: []int{v.call}, Result: -1}
}

// insert inserts messages before message at.
func (v *Variant) insert(at int, list ...transcript.Message) {
	v.conversation.Messages = slices.Insert(v.conversation.Messages, at, list...)
}

func say(role transcript.Role, text string) transcript.Message {
	return transcript.Message{Role: role, Content: text, HasContent: true, Result: -1}
}

// without removes the calls for which concerned is true, with their results, and the agent's
// messages for which it is true.
func (v *Variant) without(concerned func(texts ...string) bool) {
	c, last := v.conversation, len(v.conversation.Messages)-1
	gone := map[int]bool{}
	result := func(m *transcript.Message) bool { return m.Role == transcript.ToolRole && m.Result >= 0 }
	for i := range c.Messages[:last] {
		if m := &c.Messages[i]; result(m) && concerned(m.Content) {
			gone[m.Result] = true
		}
		for _, k := range c.Messages[i].Calls {
			gone[k] = gone[k] || concerned(c.Calls[k].RawArguments)
		}
	}
	var kept []transcript.Message
	for i := range c.Messages[:last] {
		m := c.Messages[i]
		had := len(m.Calls)
		m.Calls = slices.DeleteFunc(slices.Clone(m.Calls), func(k int) bool { return gone[k] })
		if m.Role == transcript.Assistant && concerned(m.Content) {
			m.Content, m.HasContent, m.Parts = "", false, value.Value{}
		}
		empty := m.Role == transcript.Assistant && len(m.Calls) == 0 && strings.TrimSpace(m.Content) == ""
		if !(result(&m) && gone[m.Result]) && !(empty && (had > 0 || !m.HasContent)) {
			kept = append(kept, m)
		}
	}
	c.Messages = append(kept, c.Messages[last])
}

// line returns the variant as a line of the planted log.
func (v *Variant) line(id string) []byte {
	c := *v.conversation
	c.ID, c.Calls = id, slices.Clone(c.Calls)
	c.Expected, c.Labels, c.Sample, c.Notes = nil, nil, value.Value{}, nil
	index, n := -1, 0
	for i := range c.Messages {
		for _, k := range c.Messages[i].Calls {
			if c.Calls[k].Context = k != v.call; k == v.call {
				index = n
			}
			n++
		}
	}
	label := transcript.Label{Name: Label, CallIndex: index}
	switch v.Kind {
	case Original, Equivalent:
		label.Value = 1
	case Mutant:
	default:
		label.Text = v.Kind
	}
	c.Labels = []transcript.Label{label}
	if v.Kind == Mutant && !v.Right.IsNull() {
		c.Expected = &transcript.Expected{Calls: []transcript.ExpectedCall{{
			Name: v.Right.Field("name").Text(), Arguments: v.Right.Field("parameters")}}}
	}
	c.Extra = value.Pairs(Label, v.Plan.Value())
	line := transcript.AppendNative(nil, &c)
	if v.rename != "" {
		line = []byte(strings.ReplaceAll(string(line), v.rename, v.to))
	}
	return line
}
