package deterministic

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// ToolEfficiency counts the calls that were not necessary.
var ToolEfficiency = Scorer{
	Name: "tool_efficiency", Facts: score.Facts{Needs: score.NeedsResults},
	rule: func() Rule { return new(efficiency) },
}

// efficiency is tool_efficiency: which calls could have been left out? A call is wasted by
// the first of these rules that holds:
//
//	repeated_after_success  an equal call before it succeeded
//	repeated                it repeats an equal call, and none failed since
//	equivalent              the configuration names a tool that would have done
//	unused_result           it reads, and no value of its result occurs in a later argument
//	                        or text of the agent
//
// A reading call is not wasted if nothing follows it, or if its result has no value to search for.
// Failed calls are counted separately, because a try that fails may have been necessary.
type efficiency struct {
	// reads lists the tools that only read; nil if it is not configured.
	reads       []string
	equivalents []equivalent
}

func (e *efficiency) settings() []Setting {
	return []Setting{
		{Name: "reads", Type: "array", Summary: "the tools that only read; without it those that the " +
			"inventory marks (`readOnlyHint`) or whose name begins with get, find, list, search and the like",
			read: into(&e.reads, nameList)},
		{Name: "equivalents", Type: "array", Summary: "`{prefer, over, if}`: a call of the tool `over` is wasted if " +
			"the inventory has `prefer` and the conversation never called it, or, with `if`, whenever the " +
			"arguments match its JavaScript patterns (`{argument: pattern}`)",
			read: into(&e.equivalents, readEquivalents)},
	}
}

// Score implements Rule. The actual side is like error_recovery's.
func (e *efficiency) Score(in Input) (Result, error) {
	v, err := caseView(in)
	switch {
	case err != nil:
		return Result{}, err
	case len(v.made) == 0:
		return Result{Reason: "no call was made"}, nil
	}
	return e.of(v)
}

func (e *efficiency) log(v *view) []outcome {
	if len(v.made) == 0 {
		return notApplicable("no call was made")
	}
	return whole(e.of(v))
}

// met is a group of equal calls: the latest one, how many calls had failed when it was made, and
// the first one that succeeded, -1 if none did.
type met struct{ last, failures, succeeded int }

// repeats returns the rule by which another call of a group is wasted, and the call that it
// repeats.
func (m *met) repeats(failed int) (rule string, of int) {
	switch {
	case m == nil:
	case m.succeeded >= 0:
		return "repeated_after_success", m.succeeded
	case m.failures == failed:
		return "repeated", m.last
	}
	return "", -1
}

// spent counts the calls of a conversation: all of them by tool, the wasted ones in total and by
// tool, and the failed ones.
type spent struct {
	made   []string
	wasted []value.Value
	lost   map[string]int
	// dearer counts the calls that a declared equivalent could have replaced.
	dearer int
	failed int
	// examples names the first wasted calls, for the reason.
	examples string
}

func (e *efficiency) of(v *view) (Result, error) {
	h := v.happened()
	later := h.later()
	s, equal := spent{lost: map[string]int{}}, map[string]*met{}
	called := calledTools(v)
	for i := range h.events {
		ev := &h.events[i]
		if ev.call < 0 {
			continue
		}
		c := &h.calls[ev.call]
		key := sameCallKey(c)
		m := equal[key]
		switch {
		case ev.failed:
			s.failed++
		case ev.result && m.succeeded < 0:
			m.succeeded = ev.call
		}
		if ev.result {
			continue
		}
		rule, of := m.repeats(s.failed)
		prefer := ""
		if rule == "" {
			var err error
			if prefer, err = e.preferred(c, v, called); err != nil {
				return Result{}, err
			}
		}
		if prefer != "" {
			rule = "equivalent"
			s.dearer++
		}
		if rule == "" && e.readsOnly(transcript.FindTool(v.c.Tools, c.Name), c.Name) && later.unused(ev.call) {
			rule = "unused_result"
		}
		if m == nil {
			m = &met{succeeded: -1}
			equal[key] = m
		}
		m.last, m.failures = ev.call, s.failed
		s.made = append(s.made, c.Name)
		if rule != "" {
			s.waste(ev, c.Name, rule, of, prefer)
		}
	}
	return s.result(), nil
}

func (s *spent) waste(ev *event, tool, rule string, of int, prefer string) {
	entry := []value.Member{field("call_index", ev.call), field("message_index", ev.message),
		field("tool", tool), field("rule", rule), optionalIndex("of", of)}
	if prefer != "" {
		entry = append(entry, field("prefer", prefer))
		rule = value.Excerpt(prefer, 60) + " would have done"
	}
	s.wasted = append(s.wasted, value.ObjectOf(entry))
	s.lost[tool]++
	if len(s.wasted) <= 3 {
		s.examples += fmt.Sprintf("; call %d of %s: %s", ev.call, value.Excerpt(tool, 60), rule)
	}
}

func (s *spent) result() Result {
	share := func(n int) float64 { return float64(n) / float64(len(s.made)) }
	reason := fmt.Sprintf("%d of %d calls were wasted%s", len(s.wasted), len(s.made), s.examples)
	return scored(1-share(len(s.wasted)), reason,
		field("calls", len(s.made)),
		field("wasted", s.wasted),
		field("by_tool", s.byTool()),
		field("equivalent_calls", s.dearer),
		field("failed_calls", s.failed),
		floatField("failed_share", share(s.failed)))
}

// byTool returns the counts, in the order of each tool's first call.
func (s *spent) byTool() value.Value {
	calls := map[string]int{}
	for _, name := range s.made {
		calls[name]++
	}
	var tools []value.Member
	for _, name := range s.made {
		if n := calls[name]; n > 0 {
			tools = append(tools, field(name, value.OfObject(field("calls", n), field("wasted", s.lost[name]),
				floatField("value", 1-float64(s.lost[name])/float64(n)))))
			calls[name] = 0
		}
	}
	return value.OfObject(tools...)
}

func sameCallKey(c *transcript.Call) string {
	if c.Malformed {
		return c.Name + " malformed"
	}
	return c.Name + " " + c.Arguments.Canonical()
}

// readVerbs are the first words of the names of tools that only read.
var readVerbs = []string{
	"get", "find", "list", "search", "lookup", "look", "read", "fetch", "query", "show", "view", "check", "describe",
	"retrieve", "count", "browse",
}

func (e *efficiency) readsOnly(known *transcript.Tool, tool string) bool {
	if e.reads != nil {
		return slices.Contains(e.reads, tool)
	}
	if known != nil && known.Raw.Field("annotations").Field("readOnlyHint").Text() == "true" {
		return true
	}
	// It is the first word after the last dot: "orders.getStatus".
	name := tool[strings.LastIndexAny(tool, "./")+1:]
	end := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLower(r) })
	if end > 0 {
		name = name[:end]
	}
	return slices.Contains(readVerbs, strings.ToLower(name))
}

// later holds the agent's arguments and texts that may use a result, in lower case.
type later struct {
	texts []string
	// result holds, for each successful call, the text of its result, and where in texts the later
	// ones begin.
	result map[int]usable
	// left limits the work, in bytes times values.
	left int
}

type usable struct {
	text string
	from int
}

// maxWork limits how much is compared in one conversation; results beyond it count as used.
const maxWork = 1 << 30

func (h *happened) later() *later {
	l := &later{result: map[int]usable{}, left: maxWork}
	for i := range h.events {
		e := &h.events[i]
		switch {
		case e.result && !e.failed:
			l.result[e.call] = usable{e.text, len(l.texts)}
		case e.result:
		case e.call >= 0:
			leaves := leafTexts(h.calls[e.call].Arguments, maxLeaves)
			if len(leaves) == maxLeaves {
				l.left = 0
			}
			l.texts = append(l.texts, strings.ToLower(strings.Join(leaves, "\n")))
		default:
			l.texts = append(l.texts, strings.ToLower(e.text))
		}
	}
	return l
}

// unused reports whether nothing after a call uses a value of its result.
func (l *later) unused(call int) bool {
	r, ok := l.result[call]
	if !ok || r.from == len(l.texts) {
		return false
	}
	values := resultValues(r.text)
	for _, text := range l.texts[r.from:] {
		if l.left -= 2 * len(text) * len(values); l.left < 0 {
			return false
		}
		plain := strings.ReplaceAll(text, ",", "")
		for _, v := range values {
			if strings.Contains(text, v) || strings.Contains(plain, v) {
				return false
			}
		}
	}
	return len(values) > 0
}

// maxValues limits how many values of a result are searched for.
const maxValues = 2000

// resultValues returns the strings with at least 4 characters and the numbers with at least 3
// digits in a result, in lower case. For a result that is a text, it returns the text and its
// words.
func resultValues(text string) []string {
	v, err := value.ParseString(text)
	leaves := []string{strings.TrimSpace(text)}
	if err == nil && (v.IsList() || v.Kind() == value.Object) {
		leaves = leafTexts(v, maxValues)
	} else {
		leaves = append(leaves, strings.FieldsFunc(text, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.@#", r)
		})...)
	}
	var out []string
	for _, leaf := range leaves[:min(len(leaves), maxValues)] {
		leaf = strings.Trim(leaf, " .")
		digits := strings.Count(strings.Map(digitOnly, leaf), "0")
		if _, err := value.ParseString(leaf); err == nil && digits < 3 {
			continue
		}
		if utf8.RuneCountInString(leaf) >= 4 || digits >= 3 {
			out = append(out, strings.ToLower(leaf))
		}
	}
	return out
}

func digitOnly(r rune) rune {
	if r >= '0' && r <= '9' {
		return '0'
	}
	return ' '
}

// maxLeaves limits how many values in a call's arguments are compared.
const maxLeaves = 100_000

// leafTexts returns the first strings and numbers in a value.
func leafTexts(v value.Value, most int) (texts []string) {
	for _, leaf := range v.Leaves() {
		if len(texts) == most {
			break
		}
		if leaf.IsNumber() || leaf.Kind() == value.String {
			texts = append(texts, leaf.Text())
		}
	}
	return texts
}
