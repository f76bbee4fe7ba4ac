package format

import "github.com/judgekit/judge/internal/value"

var shareGPTRows = format{
	name: "sharegpt",
	mark: "conversations with from and value",
	bare: shareGPT,
	detect: of(func(f value.Value) bool {
		return shareGPT(f) || listAt(f, shareGPTPaths...).Head().Has("from")
	}),
	read: wrappedIn(shareGPTPaths),
}

// shareGPTPaths say where a record has its turns of {from, value} (the form of ShareGPT, as
// LLaMA-Factory and Hermes' data sets write it, with function_call, observation, tools and
// system). Calls in texts are calls if a result follows.
var shareGPTPaths = []string{"conversations", "conversation"}

func shareGPT(m value.Value) bool { return m.HasAll("from", "value") }
