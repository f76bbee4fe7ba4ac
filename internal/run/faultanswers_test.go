package run

import (
	"fmt"
	"strconv"
	"strings"
)

// unread are the kinds of an answer that cannot be used.
const unread = "invalid_json schema_violation truncated truncated_in_thought whitespace_loop refusal"

// chat returns one answer in an envelope, with more members beside its content.
func chat(class, name, kinds string, scored bool, more string, content func(*exchange) string) mode {
	return mode{class: class, name: name, kinds: kinds, scored: scored, do: func(x *exchange) bool {
		body := x.envelope(content(x))
		return x.reply("200 OK", "", strings.Replace(body, `"role":"assistant",`, `"role":"assistant",`+more, 1))
	}}
}

func asIs(x *exchange) string { return x.text }

// wrong returns a whole answer with an output that was not meant.
func wrong(x *exchange) string { return faultyAnswer(x.item, strconv.Itoa(1+campaignOutput(x.item)%5)) }

// finished sends a finish_reason.
func finished(name, reason, kinds string, content func(*exchange) string) mode {
	return mode{class: "answers", name: name, kinds: kinds, do: func(x *exchange) bool {
		return x.reply("200 OK", "", strings.Replace(x.envelope(content(x)), `"finish_reason":"stop"`, `"finish_reason":"`+reason+`"`, 1))
	}}
}

// oddAnswerModes returns answers of models that think, refuse, repeat or contradict themselves.
func oddAnswerModes() []mode {
	replaced := func(old, with string) func(*exchange) string {
		return func(x *exchange) string { return strings.Replace(x.text, old, with, 1) }
	}
	thinks := func(name, member string) mode {
		return chat("answers", name, "", true, strconv.Quote(member)+`:"It is the right tool, I think.",`, asIs)
	}
	other := strconv.Quote(`{"explanation":"e","evidence":"NONE: n","output":9,"confidence":1,"correction":{}}`)
	return []mode{
		finished("cut at length", "length", "truncated", func(x *exchange) string { return x.text[:len(x.text)/2] }),
		finished("full, but length", "length", "truncated", asIs),
		finished("whitespace loop", "length", "truncated whitespace_loop", func(x *exchange) string { return x.text[:20] + strings.Repeat("\n", 3000) }),
		finished("filter", "content_filter", "refusal", func(*exchange) string { return "" }),
		chat("answers", "many thinks", "", true, "", func(x *exchange) string {
			return "<think>{\"output\":1}</think><think>{\"output\":2}</think>" + x.text
		}),
		thinks("prose in reasoning_content", "reasoning_content"), thinks("prose in reasoning", "reasoning"),
		chat("answers", "reasoning in conflict with content", "", true, `"reasoning_content":`+other+`,`, asIs),
		{class: "answers", name: "answer in the reasoning field", scored: true, do: func(x *exchange) bool {
			return x.reply("200 OK", "", strings.Replace(x.envelope(""), `"content":""`, `"content":"","reasoning":`+strconv.Quote(x.text), 1))
		}},
		chat("answers", "two answers, equal", "", true, "", func(x *exchange) string { return x.text + "\n" + x.text }),
		chat("answers", "two answers, different", "", true, "", func(x *exchange) string { return wrong(x) + "\n" + x.text }),
		chat("answers", "array", unread, false, "", func(x *exchange) string { return "[" + x.text + "]" }),
		chat("answers", "nested", unread, false, "", func(x *exchange) string { return `{"answer":` + x.text + `}` }),
		chat("answers", "extra keys", "", true, "", replaced(`"confidence"`, `"mood":"good","confidence"`)),
		chat("answers", "missing explanation", "", true, "", replaced(`"explanation"`, `"because"`)),
		chat("answers", "duplicate keys, escaped", unread, false, "", replaced(`"output"`, `"outpu\u0074":0,"output"`)),
		chat("answers", "refusal field", "refusal", false, `"refusal":"I can't help with that.",`, func(*exchange) string { return "" }),
		chat("answers", "refusal in words", "refusal", false, "", func(*exchange) string { return "I'm sorry, but I can't assist with that request." }),
		chat("numbers", "confidence out of range", "", true, "", replaced(`"confidence":1`, `"confidence":7`)),
		chat("numbers", "confidence as text", "", true, "", replaced(`"confidence":1`, `"confidence":"high"`)),
	}
}

// baitModes returns answers that cost time, or lead a check astray.
func baitModes() []mode {
	says := func(name, key, text string) mode {
		return chat("bait", name, "", true, "", func(x *exchange) string {
			_, value, _ := strings.Cut(x.text, `"`+key+`":"`)
			value, _, _ = strings.Cut(value, `"`)
			return strings.Replace(x.text, strconv.Quote(value), strconv.Quote(value+" "+text), 1)
		})
	}
	repaired := mode{class: "bait", name: "a repair that changes a valid score", kinds: unread, do: func(x *exchange) bool {
		if strings.Contains(x.asked, "was not accepted") {
			return x.reply("200 OK", "", x.envelope(wrong(x)))
		}
		return x.reply("200 OK", "", x.envelope(strings.Replace(x.text, `"evidence":"NONE:`, `"evidence":"NONE:" and `, 1)))
	}, sticky: true}
	return []mode{
		repaired,
		says("evidence of 20 KB", "evidence", strings.Repeat("order 7 ", 2500)),
		says("a quote of many words", "evidence", `"`+strings.Repeat("cancel order ", 1500)+`"`),
		says("thousands of quotes", "evidence", strings.Repeat(`"a" `, 4000)),
		says("braces", "explanation", strings.Repeat("{[", 8000)), says("closed braces", "explanation", strings.Repeat(`{"output":1}`, 1500)),
		says("polarity words", "explanation", strings.Repeat("not never wrong right no yes fails ", 500)),
		says("very long explanation", "explanation", strings.Repeat("It is right. ", 2500)),
	}
}

// campaignKey is the key that no output may hold.
const campaignKey = "sk-canary-90f1e2d3c4b5a697"

// echoModes repeat the key in every place of a reply.
func echoModes() []mode {
	var out []mode
	spellings := []struct {
		name  string
		spell func(string) string
	}{
		{"plain", func(s string) string { return s }},
		{"escaped", func(s string) string {
			escaped := ""
			for _, c := range []byte(s) {
				escaped += fmt.Sprintf(`\u%04x`, c)
			}
			return escaped
		}},
	}
	for _, sp := range spellings {
		add := func(where string, scored bool, kinds string, do func(x *exchange, key string) bool) {
			out = append(out, mode{class: "key echo", name: where + ", " + sp.name, scored: scored, kinds: kinds,
				do: func(x *exchange) bool { return do(x, sp.spell(x.auth)) }})
		}
		edited := func(where, old, with string) {
			add(where, true, "", func(x *exchange, key string) bool {
				return x.reply("200 OK", "X-Echo: "+x.auth+"\r\n", strings.Replace(x.envelope(x.text), old, strings.ReplaceAll(with, "KEY", key), 1))
			})
		}
		within := func(where, old, with string) {
			add(where, true, "", func(x *exchange, key string) bool {
				return x.reply("200 OK", "", x.envelope(strings.Replace(x.text, old, strings.ReplaceAll(with, "KEY", key), 1)))
			})
		}
		within("explanation", "INTENDED", "KEY INTENDED")
		within("evidence", "NONE:", "NONE: KEY")
		within("evidence, quoted", "NONE:", `\"KEY\" NONE:`)
		edited("envelope of the explanation", "INTENDED", "KEY INTENDED")
		edited("id", `"id":"x"`, `"id":"KEY"`)
		edited("fingerprint", `"model":"campaign"`, `"model":"campaign","system_fingerprint":"KEY"`)
		add("model", false, "model", func(x *exchange, key string) bool {
			return x.reply("200 OK", "", strings.Replace(x.envelope(x.text), `"model":"campaign"`, `"model":"`+key+`"`, 1))
		})
		edited("finish_reason", `"finish_reason":"stop"`, `"finish_reason":"stop KEY"`)
		add("content", false, unread, func(x *exchange, key string) bool { return x.reply("200 OK", "", x.envelope("Your key is "+key)) })
		add("error text", false, "transport", func(x *exchange, key string) bool {
			return x.reply("500 Internal Server Error", "", `{"error":{"message":"key `+key+`"}}`)
		})
		add("refusal", false, "refused_by_endpoint", func(x *exchange, key string) bool {
			return x.reply("403 Forbidden", "", `{"error":{"message":"key `+key+`"}}`)
		})
		add("body that is no JSON", false, "invalid_reply", func(x *exchange, key string) bool { return x.reply("200 OK", "", "<html>"+key) })
		add("headers and status line", false, "transport", func(x *exchange, key string) bool {
			return x.reply("500 "+key, "X-Request-Id: "+key+"\r\nRetry-After: "+key+"\r\nWWW-Authenticate: "+key+"\r\n", "{}")
		})
		add("location", false, "bad_request refused_by_endpoint", func(x *exchange, key string) bool {
			return x.reply("302 Found", "Location: http://elsewhere.example/?key="+x.auth[7:]+"\r\n", "")
		})
	}
	// No string holds the key, so there is nothing to take out; no output may put it together.
	return append(out, chat("key echo", "split over two fields", "", true, "", func(x *exchange) string {
		first, second := x.auth[:len(x.auth)/2], x.auth[len(x.auth)/2:]
		return strings.NewReplacer("INTENDED", "INTENDED "+first, "NONE:", "NONE: "+second).Replace(x.text)
	}))
}

// terminalModes send what moves a terminal.
func terminalModes() []mode {
	const moves = "\x1b[2J\x1b]8;;http://x\x07\u202e"
	return []mode{
		{class: "terminal", name: "in errors", kinds: "transport", do: func(x *exchange) bool { return x.reply("500 Oops", "", moves) }},
		{class: "terminal", name: "in refusals", kinds: "refused_by_endpoint", do: func(x *exchange) bool {
			return x.reply("403 Forbidden", "", `{"error":{"message":"\u001b[2J\u001b]8;;http://x\u0007\u202e"}}`)
		}},
		chat("terminal", "in answers", "", true, "", func(x *exchange) string {
			return strings.Replace(x.text, "INTENDED", `\u001b[2J\u001b]8;;http://x\u0007\u202e INTENDED`, 1)
		}),
	}
}
