package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var adkSession = format{
	name: "adk-session",
	mark: "events with an author and content",
	detect: of(func(f value.Value) bool {
		event := f.Field("events").Head()
		return event.Has("author") && event.HasAny("content", "actions")
	}),
	read: (*draft).readADKSession,
}

var adkEvalSet = format{
	name:   "adk-evalset",
	mark:   "eval_cases",
	detect: hasOne("eval_cases", "evalCases"),
	read:   (*draft).readADKCase,
	parts:  casesIn("eval_cases", "evalCases"),
}

// readADKSession reads a session of Google's Agent Development Kit (google-adk 1.x and the web
// server's JSON): {id, appName, userId, state, events: [{author, content}]}. Every author except
// the user is an agent. Lost: actions, except in the message's extra keys.
func (d *draft) readADKSession(v value.Value) error {
	d.ID = v.Field("id").Text()
	d.Extra = foreign(v, "events", "id")
	t := turns{draft: d, role: func(string) transcript.Role { return transcript.Assistant }}
	err := d.objects(v.Field("events"), "events", "event", func(e value.Value, at string) error {
		if partial, _ := e.Field("partial").BoolVal(); partial || e.Field("content").IsNull() {
			d.drop("event without a complete content")
			return nil
		}
		return t.message(e, at)
	})
	t.flush()
	return err
}

// readADKCase reads a case of an eval set of Google's Agent Development Kit (google-adk 1.x): {eval_id,
// conversation: [{user_content, intermediate_data, final_response}]}. The recorded tool uses are read as the
// calls of the conversation, not as a reference: a comparison of a record with itself says nothing. Lost:
// rubrics of the case, beside its extra keys.
func (d *draft) readADKCase(list value.Value) error {
	v := list.Head()
	d.ID = v.FirstText("eval_id", "evalId")
	d.Extra = foreign(v, "eval_id", "evalId", "conversation")
	if !v.Field("conversation").IsList() {
		return wrong("conversation", "the case has no conversation (its keys are %s)", v.KeyList())
	}
	t := turns{draft: d, role: func(string) transcript.Role { return transcript.Assistant }}
	err := d.objects(v.Field("conversation"), "conversation", "turn", t.invocation)
	t.flush()
	return err
}

// invocation reads one turn: the user's text, the calls, the answer.
func (t *turns) invocation(v value.Value, at string) error {
	between, _ := v.First("intermediate_data", "intermediateData")
	asked, _ := v.First("user_content", "userContent")
	answer, _ := v.First("final_response", "finalResponse")
	if err := t.whole(transcript.User, asked, at+".user_content"); err != nil {
		return err
	}
	uses, _ := between.First("tool_uses", "toolUses")
	responses, _ := between.First("tool_responses", "toolResponses")
	events, _ := between.First("invocation_events", "invocationEvents")
	within := at + ".intermediate_data"
	for i, e := range events.Elements() {
		if err := t.message(e, within+"."+place("invocation_events", i)); err != nil {
			return err
		}
	}
	if uses.Len()+responses.Len() > 0 {
		t.begin(transcript.Assistant, within)
		if err := t.callList(uses, within+".tool_uses"); err != nil {
			return err
		}
	}
	for i, r := range responses.Elements() {
		t.part(value.Pairs("functionResponse", r), within+"."+place("tool_responses", i))
	}
	if answer.IsNull() {
		return nil
	}
	return t.whole(transcript.Assistant, answer, at+".final_response")
}
