package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Case is a call, a turn or a conversation of a run, for reading.
type Case struct {
	ID string
	// Call is -1 for a turn or the whole conversation; Turn is 0 except for a turn. Result limits
	// the scores to those of the call with its result. Rubric is "" for all rubrics.
	Call, Turn int
	Result     bool
	Rubric     string
	// Scores holds all scores of the conversation.
	Scores []score.Score
	// Conversation is nil if the logs do not have it; LogProblem says why.
	Conversation *transcript.Conversation
	LogProblem   string
}

// ParseCase parses CONVERSATION[:CALL[:result]|:turnN][:RUBRIC] from the right, because an id may
// contain colons.
func ParseCase(text string) *Case {
	if c := parseItem(text); c != nil {
		return c
	}
	if at := strings.LastIndexByte(text, ':'); at > 0 {
		if c := parseItem(text[:at]); c != nil {
			c.Rubric = text[at+1:]
			return c
		}
	}
	return &Case{ID: text, Call: -1}
}

// parseItem parses an id that names a call or a turn; nil for other text.
func parseItem(text string) *Case {
	rest, result := strings.CutSuffix(text, ":result")
	at := strings.LastIndexByte(rest, ':')
	if at <= 0 {
		return nil
	}
	number, turn := strings.CutPrefix(rest[at+1:], "turn")
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || n < 0 || turn && (result || n == 0):
		return nil
	case turn:
		return &Case{ID: rest[:at], Call: -1, Turn: n}
	}
	return &Case{ID: rest[:at], Call: n, Result: result}
}

// Wants reports whether a score belongs to the call and the rubric.
func (c *Case) Wants(s *score.Score) bool {
	return (c.Call < 0 || isOf(s, c.Call)) && (c.Turn == 0 || s.Turn == c.Turn) &&
		(!c.Result || s.Scope == score.ScopeResult) && (c.Rubric == "" || s.Name == c.Rubric)
}

// isOf reports whether a score belongs to a call.
func isOf(s *score.Score, call int) bool { return s.CallIndex != nil && *s.CallIndex == call }

// Card returns a case for reading: the call beside the expected call, its scores, and what came
// before it.
func (c *Case) Card(width int) string {
	k := &card{Case: c, width: max(60, cmp.Or(width, 100))}
	if c.Conversation != nil {
		k.c = page.NewConversation(c.Conversation)
	}
	k.write()
	return k.String()
}

type card struct {
	strings.Builder
	*Case
	width int
	// c is nil if the record cannot be shown.
	c *page.Conversation
}

// cardText limits the lines of one text, cardBefore the messages before a call.
const (
	cardText   = 6
	cardBefore = 8
)

// write prints the card of a call or a whole conversation.
func (k *card) write() {
	fmt.Fprintf(k, "conversation %s (%s)\n", value.VisibleLine(k.ID), value.VisibleLine(k.Scores[0].Place))
	if k.c == nil {
		fmt.Fprintf(k, words.NoRecord+"\n", value.VisibleLine(k.LogProblem))
	}
	if k.Call >= 0 {
		fmt.Fprintf(k, "call %d %s: %s\n", k.Call, k.tool(k.Call), k.verdicts(k.Call))
	}
	call := k.c != nil && k.Call >= 0 && k.Call < len(k.c.Calls)
	if call {
		k.call(&k.c.Calls[k.Call])
	}
	k.scores()
	switch {
	case call:
		k.before()
	case k.c != nil && k.Call < 0:
		k.WriteByte('\n')
		k.messages(0, len(k.c.Messages))
	}
}

// line prints a name and text, on at most most lines.
func (k *card) line(name, text string, most int) {
	const column = 16
	for i, part := range Wrap(text, k.width-column-2, most) {
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(k, "  %-*s%s\n", column, name, part)
	}
}

// tool returns the name of a call's tool, from the log or from the scores.
func (k *card) tool(call int) string {
	if k.c != nil && call < len(k.c.Calls) {
		return k.c.Calls[call].Tool
	}
	for _, s := range k.Scores {
		if isOf(&s, call) {
			return value.VisibleLine(s.Tool)
		}
	}
	return ""
}

// verdicts says who fails a call and how many scores pass it.
func (k *card) verdicts(call int) string {
	var failed []string
	passed, missing := 0, 0
	for i := range k.Scores {
		s := &k.Scores[i]
		switch p := measure.VerdictOf(s); {
		case !isOf(s, call):
		case s.Value == nil && s.Status != score.NotApplicable:
			missing++
		case p == nil:
		case *p:
			passed++
		default:
			failed = append(failed, titleOf(s))
		}
	}
	text := words.NobodyDecides
	if len(failed) > 0 {
		text = fmt.Sprintf(words.FailedBy, words.Some(failed, 4), passed)
	} else if passed > 0 {
		text = fmt.Sprintf(words.PassedByAll, passed)
	}
	if missing > 0 {
		text += fmt.Sprintf(words.ScoresMissing, missing)
	}
	return text
}

// titleOf returns a score's title, with its judge.
func titleOf(s *score.Score) string {
	return value.VisibleLine(report.Instrument{Name: s.Name, Metric: s.Metric, Judge: s.Judge}.Words())
}

// call prints the call beside the expected call, and its result.
func (k *card) call(call *page.Call) {
	k.WriteByte('\n')
	if m := k.lastUser(call.Message); m != "" {
		k.line("user", m, cardText)
	}
	if call.Malformed != "" {
		k.line("arguments", call.Raw, cardText)
		k.line("", fmt.Sprintf(words.BadArguments, call.Malformed), cardText)
	}
	expected, text := k.expected()
	name := "arguments"
	for _, argument := range compared(call, expected) {
		k.line(name, argument, cardText)
		name = ""
	}
	if expected != nil && expected.Tool != call.Tool {
		text = fmt.Sprintf(words.OtherTool, expected.Tool)
	}
	k.line("expected", text, cardText)
	switch r := call.Result; {
	case r == nil:
		k.line("result", words.NoResult, 1)
	case r.Error:
		k.line("result", fmt.Sprintf(words.ResultError, r.Text), cardText)
	default:
		k.line("result", r.Text, cardText)
	}
}

// lastUser returns the user's last text before a message.
func (k *card) lastUser(message int) string {
	for _, m := range slices.Backward(k.c.Messages[:max(0, min(message, len(k.c.Messages)))]) {
		if m.Role == "user" && m.Text != "" {
			return m.Text
		}
	}
	return ""
}

// expected returns the expected call with which a scorer paired the call; without one, text says
// what is known.
func (k *card) expected() (call *page.CallText, text string) {
	if k.c.Expected == nil {
		return nil, words.ExpectedUnknown
	}
	for _, s := range k.Scores {
		at, ok := s.Details.Field("expected_index").Int64()
		if ok && isOf(&s, k.Call) && at >= 0 && at < int64(len(k.c.Expected)) {
			return &k.c.Expected[at], ""
		}
	}
	if len(k.c.Expected) == 0 {
		return nil, words.ExpectedNone
	}
	var names []string
	for _, e := range k.c.Expected {
		names = append(names, e.Tool)
	}
	return nil, fmt.Sprintf(words.ExpectedOthers, words.Some(names, 8))
}

// compared returns the arguments of a call, each with the expected value if that differs.
func compared(call *page.Call, expected *page.CallText) []string {
	var out []string
	for _, a := range call.Arguments {
		text := a.Name + " " + a.Text
		if expected != nil {
			text += difference(&a, expected)
		}
		out = append(out, text)
	}
	if expected == nil {
		return out
	}
	for _, e := range expected.Arguments {
		has := slices.ContainsFunc(call.Arguments, func(a page.Argument) bool { return a.Name == e.Name })
		if !has && !e.Ignored && !slices.Contains(e.Allowed, `""`) {
			out = append(out, fmt.Sprintf(words.MissingArgument, e.Name, e.Text))
		}
	}
	return out
}

// difference returns what was expected instead of an argument; "" if the argument is right.
func difference(a *page.Argument, expected *page.CallText) string {
	i := slices.IndexFunc(expected.Arguments, func(e page.Argument) bool { return e.Name == a.Name })
	if i < 0 {
		return words.NotExpected
	}
	e := &expected.Arguments[i]
	same := cmp.Or(a.Same, a.Text)
	if e.Ignored || same == cmp.Or(e.Same, e.Text) || slices.Contains(e.Allowed, same) {
		return ""
	}
	return fmt.Sprintf(words.ExpectedInstead, e.Text)
}

// scores prints the requested scores, judges first, and those of the whole conversation.
func (k *card) scores() {
	var list []*score.Score
	for i := range k.Scores {
		s := &k.Scores[i]
		whole := s.CallIndex == nil && s.Turn == 0 && k.Turn == 0 && k.Rubric == "" && s.Status != score.NotApplicable
		if whole || k.Wants(s) && (k.Call >= 0 || k.Turn > 0 || k.Rubric != "" || s.Turn > 0) {
			list = append(list, s)
		}
	}
	sorting.Stable(list, func(x, y *score.Score) int { return cmp.Compare(cardOrder(x), cardOrder(y)) })
	for i, s := range list {
		sameReasons := i > 0 && s.Explanation != "" && s.Explanation == list[i-1].Explanation && s.Evidence == list[i-1].Evidence
		k.score(s, sameReasons)
	}
}

// cardOrder sorts scores of the call before those of the conversation; within each, judges first
// and the overall rubric before the others.
func cardOrder(s *score.Score) int {
	order := 2
	if s.Source == score.Judge {
		order = 1
		if report.IsOverall(s.Name) {
			order = 0
		}
	}
	if s.CallIndex == nil {
		order += 3
	}
	return order
}

// score prints a score with its reasons; sameReasons says that the previous score had the same
// ones.
func (k *card) score(s *score.Score, sameReasons bool) {
	of := ""
	switch {
	case s.Turn > 0:
		of = fmt.Sprintf(words.OfTurn, s.Turn)
	case s.CallIndex == nil:
		of = words.OfConversation
	case s.Scope == score.ScopeResult:
		of = words.OfResult
	}
	fmt.Fprintf(k, "\n%s%s: ", titleOf(s), of)
	switch {
	case s.Value != nil:
		label := s.Label
		if p := measure.VerdictOf(s); p != nil && label == "" {
			label = map[bool]string{true: "pass", false: "fail"}[*p]
		}
		said := cmp.Or(value.VisibleLine(s.Category), words.Short(*s.Value))
		fmt.Fprintln(k, strings.TrimSpace(said+" "+value.VisibleLine(label)))
	case s.Error != nil:
		fmt.Fprintf(k, "%s: %s: %s\n", s.Status, s.Error.Kind, value.VisibleLine(s.Error.Message))
	default:
		fmt.Fprintf(k, "%s\n", s.Status)
	}
	if sameReasons {
		k.reason("explanation", words.SameReason)
	} else {
		k.reason("explanation", s.Explanation)
		k.reason("evidence", s.Evidence)
	}
	for key, v := range s.Details.Field("answer").Members() {
		k.reason(value.VisibleLine(key), cmp.Or(v.Text(), v.JSON()))
	}
	if s.Confidence != nil {
		k.reason("confidence", words.Short(*s.Confidence))
	}
	if s.Correction.Len() > 0 {
		k.reason("correction", s.Correction.JSON())
	}
	for _, f := range s.Flags {
		k.reason(fmt.Sprintf("flag (severity %d)", f.Severity), strings.TrimSuffix(f.Code+": "+f.Detail, ": "))
	}
}

func (k *card) reason(name, text string) {
	if text == "" {
		return
	}
	for i, part := range Wrap(name+": "+value.VisibleLine(text), k.width-4, cardText) {
		indent := "    "
		if i == 0 {
			indent = "  "
		}
		fmt.Fprintf(k, "%s%s\n", indent, part)
	}
}

// before prints the last messages before the call.
func (k *card) before() {
	end := k.c.Calls[k.Call].Message
	if end <= 0 {
		return
	}
	fmt.Fprintf(k, "\n"+words.BeforeCall+"\n", words.Counted(end, "message"))
	k.messages(max(0, end-cardBefore), end)
}

// messages prints messages in short form. In a whole conversation each call has its verdicts.
func (k *card) messages(from, to int) {
	const most = 2
	for i := from; i < to; i++ {
		m := &k.c.Messages[i]
		name := fmt.Sprintf("[%d] %s", i, m.Role)
		if m.Text != "" {
			k.line(name, m.Text, most)
		}
		for _, n := range m.Calls {
			call := &k.c.Calls[n]
			k.line(name, fmt.Sprintf("call %d %s(%s)", n, call.Tool, cmp.Or(call.Raw, argumentsOf(call))), most)
			if k.Call < 0 {
				k.line("", k.verdicts(n), most)
			}
			if call.Result != nil {
				k.line("", "result: "+call.Result.Text, most)
			}
		}
	}
}

func argumentsOf(call *page.Call) string {
	var out []string
	for _, a := range call.Arguments {
		out = append(out, a.Name+": "+a.Text)
	}
	return strings.Join(out, ", ")
}
