package prompt

import (
	"fmt"

	"github.com/judgekit/judge/rubrics"
)

// Layout is the order of a prompt's parts, which decides what of it engines that cache
// prefixes compute only once.
type Layout string

// The layouts.
const (
	// RubricFirst: the rubric, the tools, the conversation, the call.
	RubricFirst Layout = "rubric-first"
	// NamedRubrics: all rubrics, the tools, the conversation, the call, the name of the
	// rubric to apply.
	NamedRubrics Layout = "named-rubrics"
	// ConversationFirst: the tools, the conversation, the rubric, the call.
	ConversationFirst Layout = "conversation-first"
)

// Layouts returns all layouts, the usual one first.
func Layouts() []Layout { return []Layout{RubricFirst, NamedRubrics, ConversationFirst} }

// is reports whether the layout is the given one, of which "" is the first.
func (l Layout) is(other Layout) bool { return l == other || l == "" && other == RubricFirst }

// Ending is what a frame adds to the live message: a text before the call, and the last
// line, the usual one where it is "".
type Ending struct{ Before, Closing string }

// fixed returns what is the same for every call under one rubric, with its first
// examples.
func (o Options) fixed(r *rubrics.Rubric, all []*rubrics.Rubric, examples int) ([]message, Ending) {
	system := func(text string) message { return message{Role: "system", Content: text} }
	switch o.Layout {
	case ConversationFirst:
		return []message{system(o.systemText("", ""))}, Ending{
			Before: gradeText(r) + "\n\n" + schemaTitle + schemaText(r) + o.examplesText(r, examples) + "\n\n",
		}
	case NamedRubrics:
		return o.named(system, all, examples), Ending{Closing: closingFor(r)}
	}
	text := o.systemText(gradeText(r), schemaTitle+schemaText(r))
	if o.ExamplesInSystem {
		return []message{system(text + o.examplesText(r, examples))}, Ending{}
	}
	return append([]message{system(text)}, o.turns(r, examples, closingLine)...), Ending{}
}

// named are the messages that hold all rubrics, each under its name.
func (o Options) named(system func(string) message, all []*rubrics.Rubric, examples int) []message {
	text := "There are several rubrics. The last line of a record says by which of them to grade, and only " +
		"that one counts."
	var turns []message
	for _, r := range all {
		n := min(examples, o.examples(r))
		text += fmt.Sprintf("\n\nRubric %s\n\n%s\n\n%s%s", r.Name, gradeText(r), schemaTitle, schemaText(r))
		if o.ExamplesInSystem {
			text += o.examplesText(r, n)
			continue
		}
		turns = append(turns, o.turns(r, n, closingFor(r))...)
	}
	return append([]message{system(o.systemText(text, ""))}, turns...)
}

// closingFor ends a live message that names its rubric.
func closingFor(r *rubrics.Rubric) string {
	return "Grade this one call by the rubric " + r.Name + ". Answer with the JSON object only."
}
