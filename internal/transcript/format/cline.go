package format

import "github.com/judgekit/judge/internal/value"

// clineScreen recognises ui_messages.json, which holds what Cline and Roo Code show. The model's
// messages are in a file beside it, in Anthropic's form.
var clineScreen = format{
	name: "cline-ui-messages",
	mark: "a list of things that were said and asked",
	detect: of(func(f value.Value) bool {
		return f.Has("ts") && (f.Field("type").Text() == "say" && f.Has("say") || f.Field("type").Text() == "ask" && f.Has("ask"))
	}),
	advice: "this is what Cline or Roo Code showed; give api_conversation_history.json, which is beside it",
}
