package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// telemetry turns the spans of one conversation into messages. Spans of model calls give the
// messages, each with the whole history; spans of tool calls add what is missing.
type telemetry struct {
	views
	// byID holds all spans, to find the parent of a span.
	byID map[string]*span
	// tools holds the spans of tool calls.
	tools []*span
	// silent counts model calls and tool calls whose content was not captured.
	silent int
	// answered says that a model call had content, so that agents' spans only repeat it.
	answered bool
}

// readSpans reads the list of a conversation's spans.
func (d *draft) readSpans(v value.Value) error {
	t := &telemetry{views: views{draft: d}, byID: map[string]*span{}}
	spans := sortedSpans(v)
	for _, s := range spans {
		if id := s.field("span_id").Text(); id != "" {
			t.byID[id] = s
		}
	}
	t.identify(spans)
	t.foldTwins(spans)
	t.calls(spans, modelSpan)
	t.countRest(spans)
	if !t.answered {
		t.calls(spans, agentSpan)
	}
	if len(d.Messages) == 0 {
		t.root(spans)
	}
	t.addCalls()
	t.labelled(spans)
	d.aside = len(d.Messages)+len(d.Labels)+t.silent == 0
	if t.silent > 0 {
		d.note(transcript.ContentHidden, "", several(t.silent, "model or tool call")+
			" of the log without content: content capture was off when they were recorded")
	}
	return nil
}

func several(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return value.OfInt(int64(n)).Text() + " " + noun + "s"
}

// sortedSpans returns the spans in the order of their start. Log records are merged with their
// span, or with each other.
func sortedSpans(v value.Value) []*span {
	var spans []*span
	known := map[string]*span{}
	for _, logs := range []bool{false, true} { // log records may belong to a span
		for i, e := range v.Elements() {
			if e.Has("log") != logs {
				continue
			}
			id := e.Field("span_id").Text()
			s := &span{v: e, attrs: e.Field("attributes"), at: place("spans", i)}
			if id != "" {
				s.at = "span " + id
			}
			same := known[id]
			switch {
			case same != nil && !logs:
				same.fill(s)
			case same != nil && (id != "" || !closed(same)):
				same.join(s)
			default:
				if id != "" || logs {
					known[id] = s
				}
				spans = append(spans, s)
			}
		}
	}
	sorting.Stable(spans, func(a, b *span) int {
		return compareTimes(a.field("start").Text(), b.field("start").Text())
	})
	for _, s := range spans {
		s.kind = s.kindOf()
	}
	return spans
}

// foldTwins finds model calls that two layers of a program recorded. A span around several model
// calls is an agent's; of a span and the only one inside it, only one is read.
func (t *telemetry) foldTwins(spans []*span) {
	inside := map[*span][]*span{}
	for _, s := range spans {
		above := t.byID[s.field("parent_id").Text()]
		if above != nil && above != s && s.kind == modelSpan && above.kind == modelSpan {
			inside[above] = append(inside[above], s)
		}
	}
	for _, above := range spans {
		all := inside[above]
		full := slices.DeleteFunc(slices.Clone(all), func(s *span) bool { return !s.hasContent() })
		switch {
		case len(full) > 1:
			above.kind = agentSpan
		case len(full) == 1 && !above.hasContent():
			above.kind = twinSpan
		default:
			for _, s := range all {
				s.kind = twinSpan
			}
		}
	}
}

// compareTimes compares two times of the same form: nanoseconds as numbers, others as text.
func compareTimes(a, b string) int {
	if isDigits(a) && isDigits(b) && len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// fill adds what a later record of the same span says.
func (s *span) fill(more *span) {
	s.v = merged(s.v, more.v.Without("attributes"))
	s.attrs = merged(s.attrs, more.attrs)
}

// join adds the event of a log record to a span, or to an earlier record of the same span.
func (s *span) join(more *span) {
	events := slices.Concat(s.field("events").Slice(), more.field("events").Slice())
	s.v = s.v.With("events", value.OfList(events...))
	s.attrs = merged(more.attrs, s.attrs)
}

// closed reports whether the events of a span end with an answer.
func closed(s *span) bool {
	events := s.field("events")
	return events.Len() > 0 && events.At(events.Len()-1).Field("name").Text() == "gen_ai.choice"
}

func (s *span) operation() string {
	if op := s.text("gen_ai.operation.name"); op != "" {
		return op
	}
	return strings.ToLower(cmp.Or(s.text("openinference.span.kind"), s.text("traceloop.span.kind")))
}

// contentMarks are beginnings of attributes with the messages of a model call.
var contentMarks = []string{
	"gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.prompt", "gen_ai.completion", "llm.input_messages",
	"llm.output_messages", "llm.prompts", requestKey, replyKey,
}

// spanKind classifies spans by what they say about the conversation.
type spanKind int

const (
	otherSpan spanKind = iota
	modelSpan
	agentSpan
	toolSpan
	// resultSpan contains only evaluation results.
	resultSpan
	// twinSpan is a model call that another span records as well.
	twinSpan
)

var operationKinds = map[string]spanKind{
	"chat": modelSpan, "generate_content": modelSpan, "text_completion": modelSpan, "llm": modelSpan,
	"invoke_agent": agentSpan, "invoke_workflow": agentSpan, "agent": agentSpan, "chain": agentSpan,
	"execute_tool": toolSpan, "tool": toolSpan, "create_agent": otherSpan,
	"embeddings": otherSpan, "event": otherSpan, "handoff": otherSpan, "state": otherSpan,
}

func (s *span) kindOf() spanKind {
	operation := s.operation()
	kind, known := operationKinds[operation]
	switch {
	case known:
		return kind
	case s.hasContent():
		return modelSpan
	case s.onlyResults():
		return resultSpan
	case operation == "" && (s.attrs.Has("gen_ai.tool.name") || s.text("mcp.method.name") == "tools/call"):
		return toolSpan
	}
	return otherSpan
}

// onlyResults reports whether a span contains only evaluation results.
func (s *span) onlyResults() bool {
	events := s.field("events")
	for _, e := range events.Elements() {
		if e.Field("name").Text() != evaluationResult {
			return false
		}
	}
	return events.Len() > 0 || s.attrs.Has(scoresKey)
}

func (s *span) hasContent() bool {
	for key := range s.attrs.Members() {
		for _, mark := range contentMarks {
			if strings.HasPrefix(key, mark) {
				return true
			}
		}
	}
	for _, e := range s.field("events").Elements() {
		if eventRole(e.Field("name").Text()) != "" || e.Field("attributes").Has("gen_ai.input.messages") {
			return true
		}
	}
	return false
}

// identify sets the id of the conversation and its place.
func (t *telemetry) identify(spans []*span) {
	for _, key := range spanConversationKeys {
		for _, s := range spans {
			if id := s.text(key); id != "" && t.ID == "" {
				t.ID = id
				t.Extra = value.Pairs("gen_ai_conversation_id", value.OfString(id))
			}
		}
	}
	for _, s := range spans {
		trace := s.field("trace_id").Text()
		if trace == "" {
			continue
		}
		t.ID = cmp.Or(t.ID, trace)
		t.Extra = t.Extra.With("trace_id", value.OfString(trace))
		if id := s.field("span_id").Text(); id != "" {
			t.Extra = t.Extra.With("span_id", value.OfString(id))
		}
		return
	}
}

// calls reads the model calls of a kind, and stores the tool calls for later.
func (t *telemetry) calls(spans []*span, kind spanKind) {
	t.tools = nil
	for _, s := range spans {
		switch s.kind {
		case kind:
			t.modelCall(s)
		case toolSpan:
			s.behind = len(t.Messages)
			t.tools = append(t.tools, s)
		}
	}
}

// countRest counts the spans that say nothing about the conversation, and reads the tools that
// agents' spans name.
func (t *telemetry) countRest(spans []*span) {
	for _, s := range spans {
		switch s.kind {
		case agentSpan:
			one := t.view()
			(&spanReader{draft: one, span: s}).tools()
			t.draft.addTools(one.Tools)
		case otherSpan:
			t.drop("span " + cmp.Or(s.operation(), "of no model or tool call"))
		}
	}
}

// modelCall joins the messages of one model call.
func (t *telemetry) modelCall(s *span) {
	one := t.view()
	r := spanReader{draft: one, span: s}
	r.tools()
	r.read()
	t.draft.addTools(one.Tools)
	if len(one.Messages) == 0 {
		if s.kind == modelSpan {
			t.silent++
			t.drop("model call without content")
		}
		t.Notes = append(t.Notes, one.Notes...)
		return
	}
	t.answered = true
	t.add(one, s.at)
}

// root reads the input and output of the outermost span if no model call has messages.
func (t *telemetry) root(spans []*span) {
	for _, s := range spans {
		in, hasIn := s.first("input.value", "traceloop.entity.input")
		out, hasOut := s.first("output.value", "traceloop.entity.output")
		if s.kind == toolSpan || !hasIn && !hasOut {
			continue
		}
		r := spanReader{draft: t.draft, span: s}
		if hasIn {
			r.messageOf(transcript.User, in, s.at)
		}
		n := len(t.Messages)
		for _, tool := range t.tools {
			tool.behind = n
		}
		if hasOut {
			r.messageOf(transcript.Assistant, out, s.at)
			r.output(n)
		}
		return
	}
}

// ids returns the ids with which a verdict on a message finds the span.
func (s *span) ids() value.Value {
	var o value.Fields
	o.Set("trace_id", s.field("trace_id"))
	o.Set("span_id", s.field("span_id"))
	o.Set("response_id", s.attrs.Field("gen_ai.response.id"))
	return o.Object()
}

const evaluationResult = "gen_ai.evaluation.result"

// labelled turns the log's scores into labels, and stores what a trace says about itself.
func (t *telemetry) labelled(spans []*span) {
	for _, s := range spans {
		if info := s.attrs.Field(infoKey); !info.IsNull() {
			t.Extra = t.Extra.With("info", info)
		}
		for _, e := range s.field("events").Elements() {
			if a := e.Field("attributes"); e.Field("name").Text() == evaluationResult {
				t.score(a.Field("gen_ai.evaluation.name"), a.Field("gen_ai.evaluation.score.value"),
					a.Field("gen_ai.evaluation.score.label"), s.at)
			}
		}
		for _, e := range s.attrs.Field(scoresKey).Elements() {
			t.score(e.Field("name"), e.Field("score"), e.Field("label"), s.at)
		}
		for _, scope := range []string{"", "trace.", "session."} {
			for _, list := range [][2]string{{"evaluations", "evaluation"}, {"annotations", "annotation"}} {
				for _, e := range unflatten(s.attrs, scope+list[0]).Elements() {
					a := e.Field(list[1])
					t.score(a.Field("name"), a.Field("score"), a.Field("label"), s.at)
				}
			}
		}
	}
}

// score adds a label: the score if there is one, else its word.
func (t *telemetry) score(name, score, word value.Value, at string) {
	switch {
	case name.Text() == "" || score.IsNull() && word.IsNull():
		t.note("label_not_read", at, "an evaluation without a name or a score")
	case score.IsNull():
		t.label(name.Text(), word, -1, at)
	default:
		t.label(name.Text(), score, -1, at)
	}
}
