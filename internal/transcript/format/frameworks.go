package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// langGraphPaths are where LangGraph keeps the messages of a state, a snapshot of one, a
// checkpoint, and of what an agent was given and gave. LangChain's messages (langchain-core 1.x
// for Python and @langchain/core 1.4, whose files were made by running it) are dumps with a
// constructor and kwargs, {type, data} of messages_to_dict, and {type, content} of model_dump.
// Lost: artifacts of tool messages stay in the message's extra keys, and additional_kwargs that
// repeat the calls.
var langGraphPaths = []string{
	"messages", "values.messages", "channel_values.messages", "checkpoint.channel_values.messages",
	"output.messages", "outputs.messages", "result.messages", "state.messages", "output", "outputs",
}

func pydanticAI(m value.Value) bool {
	kind := m.Field("kind").Text()
	return (kind == "request" || kind == "response") && m.Field("parts").IsList()
}

// pydantic reads a message of pydantic-ai (all_messages_json of 1.x): {kind: request | response,
// parts}. Each part of a request says by its part_kind who speaks. Lost: timestamps, usage and
// provider details.
func (t *turns) pydantic(m value.Value, at string) {
	if s := m.Field("instructions").Text(); s != "" && len(t.Messages) == 0 {
		t.begin(transcript.System, at+".instructions")
		t.text(value.OfString(s), at)
	}
	for i, p := range m.Field("parts").Elements() {
		t.pydanticPart(p, at+"."+place("parts", i), m.Field("kind").Text() == "response")
	}
}

func (t *turns) pydanticPart(p value.Value, at string, response bool) {
	role := transcript.User
	switch {
	case response:
		role = transcript.Assistant
	case p.Field("part_kind").Text() == "system-prompt":
		role = transcript.System
	}
	if t.open.role != role || !t.open.begun {
		t.begin(role, at)
		t.open.empty = true
	}
	t.part(p, at)
}

// The names of the formats that are known by the form of their messages.
const (
	vercelUI        = "vercel-ui-messages"
	vercelModel     = "vercel-model-messages"
	bedrockConverse = "bedrock-converse"
)

// readVercelResult reads what generateText of the Vercel AI SDK returns (ai 5 to 7; files
// were made by running 7.0): {steps: [{content}]}. Lost: usage, warnings, provider metadata.
func (d *draft) readVercelResult(v value.Value) error {
	t := turns{draft: d}
	prompt, path := findList(v, "messages", "prompt", "request.messages", "steps[0].request.messages")
	if prompt.IsList() {
		if err := t.list(prompt, path); err != nil {
			return err
		}
	}
	d.Extra = foreign(v, "steps", "text", "response", "messages", "prompt")
	err := d.objects(v.Field("steps"), "steps", "step", func(step value.Value, at string) error {
		return t.whole(transcript.Assistant, value.Pairs("content", step.Field("content")), at)
	})
	t.flush()
	return err
}

func isBedrock(f value.Value) bool {
	return strings.HasPrefix(f.Field("schemaType").Text(), "ModelInvocationLog") || f.Has("toolConfig") ||
		f.Field("output").Field("message").Field("content").IsList() && f.Has("stopReason")
}

// readBedrock reads requests and replies of Amazon Bedrock's Converse operation ({messages,
// system, toolConfig}, {output: {message}}), and the model invocation log that holds both.
// Read from the API's reference of 2026. Lost: guardrail traces, cache points, metrics.
func (d *draft) readBedrock(v value.Value) error {
	request, reply := v, v
	if in := v.Field("input").Field("inputBodyJson"); in.Kind() == value.Object {
		request, reply = in, v.Field("output").Field("outputBodyJson")
	}
	d.ID = v.FirstText("requestId", "id")
	d.Extra = foreign(v, "messages", "system", "toolConfig", "input", "output", "requestId", "id")
	return d.exchange(request, reply)
}
