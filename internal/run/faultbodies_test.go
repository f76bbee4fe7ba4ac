package run

import (
	"strconv"
	"strings"
)

// bodyModes are whole replies in odd forms. Where the answer is there it must be read.
func bodyModes() []mode {
	read := func(name string, do func(*exchange) bool) mode {
		return mode{class: "bodies", name: name, do: do, scored: true}
	}
	lost := func(name, status, body string) mode {
		return mode{class: "bodies", name: name, kinds: "invalid_reply transport", do: func(x *exchange) bool { return x.reply(status, "", body) }}
	}
	edited := func(name, old, with string) mode {
		return read(name, func(x *exchange) bool {
			return x.reply("200 OK", "", strings.Replace(x.envelope(x.text), old, with, 1))
		})
	}
	empty := lost("204", "204 No Content", "")
	empty.do = func(x *exchange) bool { return x.raw("HTTP/1.1 204 No Content\r\n\r\n") }
	large := read("7 MB valid", func(x *exchange) bool {
		return x.reply("200 OK", "", strings.Replace(x.envelope(x.text), `{"id"`, `{"pad":"`+strings.Repeat("a", 7<<20)+`","id"`, 1))
	})
	large.scored, large.kinds = false, "invalid_reply"
	bomb := lost("gzip bomb", "", "")
	bomb.do = func(x *exchange) bool {
		return x.reply("200 OK", "Content-Encoding: gzip\r\n", packed(strings.Repeat(" ", 16<<20)))
	}
	stream := lost("SSE, not asked for", "", "")
	stream.do = func(x *exchange) bool {
		chunk := strings.NewReplacer(`"chat.completion"`, `"chat.completion.chunk"`, `"message"`, `"delta"`).Replace(x.envelope(x.text))
		return x.reply("200 OK", "X-Form: text/event-stream\r\n", "data: "+chunk+"\n\ndata: [DONE]\n\n")
	}
	twice := lost("duplicate envelope keys", "", "")
	twice.do = func(x *exchange) bool {
		return x.reply("200 OK", "", strings.Replace(x.envelope(x.text), `{"id"`, `{"choices":[],"id"`, 1))
	}
	const usage = `"usage":{"prompt_tokens":600,"completion_tokens":40,"total_tokens":640}`
	return []mode{
		read("gzip", func(x *exchange) bool {
			return x.reply("200 OK", "Content-Encoding: gzip\r\n", packed(x.envelope(x.text)))
		}),
		read("gzip, not said", func(x *exchange) bool { return x.reply("200 OK", "", packed(x.envelope(x.text))) }),
		bomb,
		read("byte order mark", func(x *exchange) bool { return x.reply("200 OK", "", "\ufeff"+x.envelope(x.text)) }),
		edited("a lone surrogate outside", `"id":"x"`, `"id":"\ud800"`), edited("NUL outside", `"id":"x"`, `"id":"\u0000"`),
		edited("Latin-1 outside", `"id":"x"`, "\"id\":\"\xe9\""),
		lost("100,000 levels deep", "200 OK", strings.Repeat(`{"a":`, 100_000)+"1"+strings.Repeat("}", 100_000)), large,
		lost("empty", "200 OK", ""), empty, read("201", func(x *exchange) bool { return x.reply("201 Created", "", x.envelope(x.text)) }),
		lost("HTML with 200", "200 OK", "<html><title>Sign in</title></html>"), lost("array", "200 OK", "[]"), lost("bare object", "200 OK", "{}"),
		lost("no choices", "200 OK", `{"choices":[]}`), lost("choices null", "200 OK", `{"choices":null}`), lost("choices text", "200 OK", `{"choices":"x"}`),
		lost("error with 200", "200 OK", `{"error":{"message":"engine died"}}`),
		edited("usage as text", usage, `"usage":{"prompt_tokens":"600","completion_tokens":"many"}`),
		edited("usage huge", usage, `"usage":{"prompt_tokens":1e300,"completion_tokens":-4}`), edited("usage a list", usage, `"usage":[1,2]`),
		edited("usage details odd", usage, `"usage":{"prompt_tokens":600,"completion_tokens":40,"prompt_tokens_details":"none","completion_tokens_details":[]}`),
		edited("finish_reason a number", `"finish_reason":"stop"`, `"finish_reason":7`),
		inside("a lone surrogate inside", `\ud800`), inside("NUL inside", `\u0000`),
		inside("100,000 levels inside", strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)),
		deepCorrection(),
		lost("error beside null choices", "200 OK", `{"error":{"message":"engine died"},"choices":null}`),
		edited("error beside choices", `{"id"`, `{"error":{"message":"engine died"},"id"`),
		stream, twice, edited("envelope keys in another case", `{"id"`, `{"Choices":[{"index":0,"message":{"role":"assistant","content":"{\"output\":0}"}}],"id"`),
	}
}

// inside returns a good answer with something odd in a text of it.
func inside(name, odd string) mode {
	return mode{class: "bodies", name: name, scored: true, do: func(x *exchange) bool {
		return x.reply("200 OK", "", x.envelope(strings.Replace(x.text, "INTENDED", odd+" INTENDED", 1)))
	}}
}

func deepCorrection() mode {
	return mode{class: "bodies", name: "100,000 levels deep in the answer", kinds: "invalid_json schema_violation invalid_reply truncated", do: func(x *exchange) bool {
		deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
		return x.reply("200 OK", "", x.envelope(strings.Replace(x.text, `"correction":{}`, `"correction":`+deep, 1)))
	}}
}

// answerModes returns answers and numbers that hold no score, or hold it in an odd form.
func answerModes() []mode {
	answer := func(class, name string, scored bool, text func(x *exchange) string) mode {
		m := mode{class: class, name: name, scored: scored, do: func(x *exchange) bool { return x.reply("200 OK", "", x.envelope(text(x))) }}
		if !scored {
			m.kinds = "invalid_json schema_violation truncated truncated_in_thought whitespace_loop refusal refused no_json bad_answer"
		}
		return m
	}
	number := func(name, output string) mode {
		return answer("numbers", name, false, func(x *exchange) string { return faultyAnswer(x.item, output) })
	}
	as := func(form string) func(x *exchange) string {
		return func(x *exchange) string { return faultyAnswer(x.item, strconv.Itoa(campaignOutput(x.item))+form) }
	}
	return []mode{
		answer("answers", "prose", false, func(*exchange) string { return "It is fine." }),
		answer("answers", "cut", false, func(x *exchange) string { return x.text[:len(x.text)-40] }),
		answer("answers", "fence", true, func(x *exchange) string { return "```json\n" + x.text + "\n```" }),
		answer("answers", "think", true, func(x *exchange) string { return "<think>{\"output\":1}</think>" + x.text }),
		answer("answers", "only a closing think", true, func(x *exchange) string { return "{\"output\":1}</think>" + x.text }),
		answer("answers", "an open think", false, func(x *exchange) string { return "<think>" + x.text }),
		answer("answers", "duplicate output", false, func(x *exchange) string { return strings.Replace(x.text, `"output"`, `"output":0,"output"`, 1) }),
		answer("answers", "missing output", false, func(x *exchange) string { return strings.Replace(x.text, `"output"`, `"out"`, 1) }),
		answer("numbers", "5.0", true, as(".0")), answer("numbers", "5e0", true, as("e0")),
		number("4.5", "4.5"), number("text", `"5"`), number("bool", "true"), number("null", "null"), number("list", "[5]"),
		number("1e-400", "1e-400"), number("1e400", "1e400"), number("NaN", "NaN"), number("Infinity", "Infinity"), number("-0", "-0"),
		number("-1", "-1"), number("leading zero", "05"), number("plus sign", "+5"), number("hexadecimal", "0x5"), number("full width", "５"),
		number("5.00000000000000000001", "5.00000000000000000001"), number("out of range", "9"),
	}
}
