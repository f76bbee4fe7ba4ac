package format

import "github.com/judgekit/judge/internal/value"

var langChainMessages = format{
	name: "langchain-messages",
	mark: "messages with a type in the place of a role",
	bare: langChain,
	detect: func(p *probe) confidence {
		return max(listOf(langChain)(p), of(func(f value.Value) bool {
			return langChain(f.Head()) || langChain(listAt(f, langGraphPaths...).Head())
		})(p))
	},
	read: wrappedIn(langGraphPaths),
}

// langGraphPaths are the paths to the messages in LangGraph's states, snapshots and checkpoints, and in an
// agent's input and output. LangChain's messages (langchain-core 1.x for Python and @langchain/core 1.4,
// whose files were made by running it) are dumps with a constructor and kwargs, {type, data} of
// messages_to_dict, or {type, content} of model_dump. Lost: artifacts of tool messages (they stay in the
// message's extra keys), and additional_kwargs that repeat the calls.
var langGraphPaths = []string{
	"messages", "values.messages", "channel_values.messages", "checkpoint.channel_values.messages",
	"output.messages", "outputs.messages", "result.messages", "state.messages", "output", "outputs",
}

// langChain reports whether m is a message as LangChain writes it: a constructor with its
// arguments, or a message with a type instead of a role.
func langChain(m value.Value) bool {
	if m.Has("lc") {
		return m.Has("kwargs")
	}
	switch m.Field("type").Text() {
	case "human", "ai", "system", "tool", "function", "chat":
		return !m.Has("role") && m.HasAny("content", "data")
	}
	return false
}
