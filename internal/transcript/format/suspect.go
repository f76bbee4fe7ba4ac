package format

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// doubt is a sign that a log was misunderstood. An agent may cause a few; many of them mean that
// the reader mistakes one thing for another.
type doubt int

const (
	namelessCall doubt = iota
	metadataArguments
	lonelyResult
	emptyConversation
	unreadTool
	unreadArguments
	numDoubts
)

// words says how many doubts of this kind there are: "3 calls name no tool".
func (d doubt) words(n int) string {
	one := [numDoubts]string{"call names no tool", "call has metadata of a reply as its arguments",
		"result belongs to no call", "conversation is empty beside others that are not",
		"record of a tool was not read", "call has no arguments, but an object that was not read"}
	many := [numDoubts]string{"calls name no tool", "calls have metadata of a reply as their arguments",
		"results belong to no call", "conversations are empty beside others that are not",
		"records of tools were not read", "calls have no arguments, but objects that were not read"}
	if n == 1 {
		return "1 " + one[d]
	}
	return fmt.Sprintf("%d %s", n, many[d])
}

// A reading is suspicious from this many doubts on, if there is more than one in this many calls.
const (
	minDoubts     = 3
	callsPerDoubt = 100
)

// A reading is suspicious from this many unreadable records on, if there are more than this many
// per conversation: the log is then a text with a few lines of a format.
const (
	minUnreadable             = 10
	unreadablePerConversation = 9
)

// doubts counts what speaks against a reading, with the first place of each doubt.
type doubts struct {
	count [numDoubts]int
	first [numDoubts]string
}

func (o *doubts) add(d *draft, kind doubt, place string) {
	if o.count[kind]++; o.count[kind] == 1 {
		o.first[kind] = strings.TrimSuffix(d.Source.String()+": "+place, ": ")
	}
}

func (o *doubts) total() (n int) {
	for _, count := range o.count {
		n += count
	}
	return n
}

func (o *doubts) join(more *doubts) {
	for kind, n := range more.count {
		o.first[kind] = cmp.Or(o.first[kind], more.first[kind])
		o.count[kind] += n
	}
}

// doubts returns signs that the conversation was misread.
func (d *draft) doubts() (out doubts) {
	for i := range d.Calls {
		c := &d.Calls[i]
		switch {
		case c.Proposed || c.Context:
		case c.Name == "" && !d.noted(callFromText): // a text that looks like a call is the agent's
			out.add(d, namelessCall, c.Place)
		case isMetadata(c.Arguments) && !d.declares(c):
			out.add(d, metadataArguments, c.Place)
		}
	}
	for i := range d.Messages {
		m := &d.Messages[i]
		if m.Role == transcript.ToolRole && m.Result < 0 && !d.noted(transcript.CallInText) {
			out.add(d, lonelyResult, d.places[i])
		}
		if m.Role != transcript.ToolRole && len(d.Calls) == 0 && hasCallsBeside(m.Extra) {
			out.add(d, unreadTool, d.places[i])
		}
	}
	if !slices.ContainsFunc(d.Calls, func(c transcript.Call) bool { return c.Arguments.Len() > 0 }) {
		for _, place := range d.argumentless {
			out.add(d, unreadArguments, place)
		}
	}
	if len(d.Messages) == 0 && !d.noted("run_error") && !d.noted(transcript.ContentHidden) {
		out.add(d, emptyConversation, "")
	}
	for _, p := range d.passed {
		if !d.knows(p) {
			out.add(d, unreadTool, p.place)
		}
	}
	return out
}

// hasCallsBeside reports whether the unread keys of a message contain a list of objects that look like calls.
func hasCallsBeside(extra value.Value) bool {
	c := candidate{keys: map[string]string{}}
	for _, v := range extra.Members() {
		if v = v.Decoded(); v.IsList() && v.Len() > 0 && !slices.ContainsFunc(v.Slice(), func(e value.Value) bool { return !c.call(e) }) {
			return true
		}
	}
	return false
}

// passed is an unread record that looks like a tool call or its result.
type passed struct {
	id, place string
	isResult  bool
}

// passOver remembers an unread record whose type says that it is about a tool, if it has a tool's
// name with arguments, or a call's id with a result.
func (d *draft) passOver(v value.Value, at string) {
	fields := eventFields(v)
	word := letters(cmp.Or(v.FirstText(eventWordKeys...), fields.FirstText(eventWordKeys...)))
	id := fields.FirstText(resultIDKeys...)
	isCall := fields.FirstText(callNameKeys...) != "" && fields.HasAny(argumentKeys...)
	isResult := id != "" && fields.HasAny(bothResultKeys...)
	if (isCall || isResult) && (strings.Contains(word, "tool") || strings.Contains(word, "function")) {
		d.passed = append(d.passed, passed{id: id, place: at, isResult: isResult})
	}
}

// knows reports whether the call was read from another record, or its result if the record is a result.
func (d *draft) knows(p passed) bool {
	return p.id != "" && slices.ContainsFunc(d.Calls, func(c transcript.Call) bool {
		return c.ID == p.id && (!p.isResult || c.Result >= 0)
	})
}

// metadataKeys are keys with which models and tracers describe a reply or a run, in lower case and
// without underscores.
var metadataKeys = []string{
	"prompttokens", "completiontokens", "totaltokens", "inputtokens", "outputtokens", "usagemetadata", "finishreason",
	"stopreason", "modelversion", "sanitizeinputsoutputs",
}

// isMetadata reports whether arguments are really what a tracer or a model's server says about a
// call: token counts, a whole message or response, the wrapping of a function.
func isMetadata(args value.Value) bool {
	if args.Has("role") && args.HasAny("content", "parts") || args.Has("choices") && args.HasAny("model", "usage") {
		return true
	}
	for key := range args.Members() {
		if len(key) >= 10 && slices.Contains(metadataKeys, strings.ToLower(strings.ReplaceAll(key, "_", ""))) {
			return true
		}
	}
	return false
}

// declares reports whether the called tool's schema has one of the arguments.
func (d *draft) declares(c *transcript.Call) bool {
	for i := range d.Tools {
		if d.Tools[i].Name == c.Name {
			properties := d.Tools[i].Parameters.Field("properties")
			for key := range c.Arguments.Members() {
				if properties.Has(key) {
					return true
				}
			}
		}
	}
	return false
}

// Suspect returns an error if the reading so far cannot be right; nil if nothing speaks against it
// or the user named the format.
func (r *Reader) Suspect() error {
	s := &r.seen
	total := 0
	var words []string
	for kind, n := range s.doubts.count {
		if doubt(kind) == emptyConversation && s.filled == 0 {
			continue
		}
		if total += n; n > 0 {
			words = append(words, fmt.Sprintf("%s (first at %s)", doubt(kind).words(n), s.doubts.first[kind]))
		}
	}
	broken := s.conversations > 0 && s.unreadable >= minUnreadable && s.unreadable > unreadablePerConversation*s.conversations
	if broken {
		words = append(words, fmt.Sprintf("%d records cannot be read", s.unreadable))
	}
	if !broken && (total < minDoubts || total*callsPerDoubt <= s.calls) || r.opts.Format != "" {
		return nil
	}
	advice := "judge logs inspect shows what was read; --input-format " + r.format.name +
		" reads it in this way all the same"
	if r.opts.Map != nil {
		advice = "judge logs inspect shows what was read; correct --map, or add --input-format " + Mapped +
			" if the log is right and the agent wrong"
	}
	message := fmt.Sprintf("the log was read as %s (%s): %s in %s, but %s", r.format.name, r.detected.Evidence,
		several(s.calls, "call"), several(s.conversations, "conversation"), strings.Join(words, ", "))
	return &transcript.FormatError{File: r.file, Format: r.format.name, Message: message, Advice: advice}
}
