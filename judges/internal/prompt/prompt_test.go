package prompt

import (
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

func TestLiveMessage(t *testing.T) {
	conv := judgetest.Support(t)
	v := NewView(conv, Options{})
	got := strings.ReplaceAll(v.Show(OfCall(1), math.Inf(1), Ending{}).Text, v.nonce, "N")
	want := `<<<RECORD N tools>>>
{"name":"get_order","description":"Shows an order","parameters":{"type":"object","properties":{"order_id":{"type":"integer"}},"required":["order_id"]}}
{"name":"cancel_order","description":"Cancels an order","parameters":{"type":"object","properties":{"order_id":{"type":"integer"},"reason":{"type":"string"}},"required":["order_id"]}}
<<<END N tools>>>
<<<RECORD N conversation>>>
[1] {"role":"system","content":"Be kind."}
[2] {"role":"user","content":"Please cancel order 987."}
[3] {"role":"assistant","content":"Let me look."}
[4] {"role":"tool","name":"get_order","parameters":{"order_id":987.50,"z":1,"a":2},"output":{"status":"pending","total":1.50}}
<<<END N conversation>>>
<<<RECORD N proposed>>>
{"name":"get_order","parameters":{"order_id":12},"status":"proposed"}
<<<END N proposed>>>
<<<RECORD N call>>>
{"name":"cancel_order","parameters":{"order_id":987}}
<<<END N call>>>
Grade this one call. Answer with JSON only.`
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if raw, err := hex.DecodeString(v.nonce); err != nil || len(raw) != 6 {
		t.Errorf("nonce %q is not 12 hex digits", v.nonce)
	}
}

func TestOddCalls(t *testing.T) {
	conv := judgetest.NewConversation(t, "c").
		Say(transcript.User, "hi").
		Act("", "f {broken").
		Act("", "g {}").
		Act("", "h {}", "i {}").
		Result(2, "late answer").
		Conv
	v := NewView(conv, Options{})
	got := strings.ReplaceAll(v.Show(OfCall(2), math.Inf(1), Ending{}).Text, v.nonce, "N")
	for _, want := range []string{
		`[2] {"role":"tool","name":"f","parameters":"{broken","unparsed":true,"status":"no_result"}`,
		`[3] {"role":"tool","name":"g","parameters":{},"status":"no_result"}`,
		"<<<END N conversation>>>\n<<<RECORD N proposed>>>\n" + `{"name":"i","parameters":{},"status":"proposed"}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "late answer") {
		t.Error("the call's own result is shown")
	}
	waits := judgetest.NewConversation(t, "c").Say(transcript.User, "hi").Act("", "f {}").Act("", "g {}").Result(0, "late").Result(1, "ok").Conv
	if got := live(t, waits, 1); !strings.Contains(got, "\n"+`{"name":"f","parameters":{},"status":"pending"}`+"\n") {
		t.Errorf("a call whose result comes later is not shown as pending:\n%s", got)
	}
	if got := live(t, conv, 0); !strings.Contains(got, "\n"+`{"name":"f","parameters":"{broken","unparsed":true}`+"\n") {
		t.Errorf("malformed arguments: %s", got)
	}
}

// TestCallOfTheFirstMessage: a conversation may begin with the agent; its call sees what the
// agent said beside it.
func TestCallOfTheFirstMessage(t *testing.T) {
	conv := judgetest.NewConversation(t, "c").Act("I look it up.", "find {}").Conv
	if got := live(t, conv, 0); !strings.Contains(got, "I look it up.") {
		t.Errorf("the text of the first message is missing in\n%s", got)
	}
}

// TestTextsOfALine: the checks find a quote in a result and in the arguments of its call, also
// if the log does not say which call a result answers.
func TestTextsOfALine(t *testing.T) {
	conv := judgetest.NewConversation(t, "c").Act("", `find {"id":"x-1"}`).Result(0, "three found").Conv
	conv.Messages = append(conv.Messages, transcript.Message{Role: transcript.ToolRole, Content: "stray", Result: -1},
		transcript.Message{Role: transcript.ToolRole, Output: judgetest.JSON(t, `{"n":3}`), Result: -1})
	var got [][]string
	for _, l := range NewView(conv, Options{}).Lines() {
		got = append(got, l.Texts())
	}
	want := [][]string{{`{"id":"x-1"}`, "three found"}, {"stray"}, {`{"n":3}`}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

// Case 1: the schema is sent in file order without thresholds, answers of examples
// are compact and ordered.
func TestFixedMessages(t *testing.T) {
	for _, r := range judgetest.Rubrics(t) {
		messages, _ := Options{}.fixed(r, nil, len(r.Examples))
		if len(messages) != 1+2*len(r.Examples) {
			t.Fatalf("%s: %d messages", r.Name, len(messages))
		}
		for i, m := range messages {
			if strings.Contains(m.Content, "threshold") {
				t.Errorf("%s: message %d names a threshold", r.Name, i)
			}
		}
		system := messages[0].Content
		order := []string{wordingOf(rubrics.ScopeCall).role + roleText, r.Description, "Scale: output is", r.Output.Description, "Answer with one JSON object", evidenceText, fmt.Sprintf(dataText, wordingOf(rubrics.ScopeCall).parts), schemaText(r)}
		at := 0
		for _, part := range order {
			i := strings.Index(system[at:], part)
			if i < 0 {
				t.Fatalf("%s: %.40q is missing or out of order", r.Name, part)
			}
			at += i
		}
		if i := strings.Index(system, `"properties":{"explanation":`); i < 0 {
			t.Errorf("%s: the schema does not start with the explanation", r.Name)
		}
		for i := 1; i < len(messages); i += 2 {
			if messages[i].Role != "user" || messages[i+1].Role != "assistant" {
				t.Errorf("%s: roles %s, %s", r.Name, messages[i].Role, messages[i+1].Role)
			}
			answer := messages[i+1].Content
			if strings.Contains(answer, "\n") || !strings.HasPrefix(answer, `{"explanation":"`) {
				t.Errorf("%s: answer is not compact and ordered: %s", r.Name, answer)
			}
			if !strings.HasSuffix(messages[i].Content, "\n"+closingLine(rubrics.ScopeCall)) {
				t.Errorf("%s: example %d lacks the closing line", r.Name, i/2)
			}
		}
	}
}

// An example and a live record with the same content have the same bytes but for
// the nonce, also when the example writes types in shorthand.
func TestExamplesLookLikeLiveItems(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Intent)
	message := exampleMessage(r, 0, "")
	conv := judgetest.NewConversation(t, "x").
		Tool("reschedule", "Moves an appointment to a new time", `{"type":"object","properties":{"id":{"type":"string"},"start":{"type":"string"}},"required":["id","start"]}`).
		Tool("cancel", "Cancels an appointment for good", `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`).
		Say(transcript.User, "Please move my dentist appointment A-44 to 14 May, 9:30.").
		Act("", `reschedule {"id":"A-44","start":"2026-05-14T09:30"}`).
		Conv
	marker := regexp.MustCompile(`<<<(RECORD|END) \w+ `)
	clean := func(s string) string { return marker.ReplaceAllString(s, "<<<$1 N ") }
	// Of a tool that was not called the example has the signature, as a live record has
	// that has to be short.
	want := strings.Replace(clean(live(t, conv, 0)), `"name":"cancel","description":"Cancels an appointment for good","parameters":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`,
		`"name":"cancel","signature":"cancel(id)","description":"Cancels an appointment for good"`, 1)
	if d := cmp.Diff(want, clean(message)); d != "" {
		t.Error(d)
	}
}

// The fixed part of a built-in rubric's prompt, examples and secret word and all, is at
// most 1,500 tokens as the program estimates them, by 3.6 bytes; o200k counts fewer.
func TestThrift(t *testing.T) {
	for _, r := range judgetest.Rubrics(t) {
		size := 0
		messages, _ := Options{Canary: "quartz-00000000"}.fixed(r, nil, len(r.Examples))
		for _, m := range messages {
			size += len(m.Content)
		}
		if size > 36*150 {
			t.Errorf("%s: %d bytes, %d too many", r.Name, size, size-36*150)
		}
		system := Options{}.systemText(rubrics.ScopeCall, gradeText(r, answerText), schemaTitle+schemaText(r))
		for _, once := range []string{r.Description, r.Output.Description, `"properties"`} {
			if n := strings.Count(system, once); n != 1 {
				t.Errorf("%s: %.40q stands %d times", r.Name, once, n)
			}
		}
	}
}

func TestExamplesInSystem(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Overall)
	a := build(r, judgetest.Support(t), 0, Options{ExamplesInSystem: true})
	if len(a) != 2 || a[0].Role != "system" || a[1].Role != "user" {
		t.Fatalf("messages %v", a)
	}
	if n := strings.Count(a[0].Content, "\nAnswer: {\"explanation\""); n != len(r.Examples) {
		t.Errorf("%d of %d examples in the system message", n, len(r.Examples))
	}
	b := build(r, judgetest.NewConversation(t, "other").Act("", "f {}").Conv, 0, Options{ExamplesInSystem: true, RunKey: []byte("k")})
	if a[0].Content != b[0].Content {
		t.Error("the system message varies by conversation or run")
	}
}

// Case 11: within a conversation requests only grow at the end.
func TestPrefixStability(t *testing.T) {
	b := judgetest.NewConversation(t, "long").Tool("f", "F", `{"type":"object","properties":{"x":{"type":"integer"}}}`).Say(transcript.User, "go")
	for i := range 12 {
		b.Act(fmt.Sprintf("step %d", i), fmt.Sprintf(`f {"x":%d}`, i), `f {"y":"<b>"}`)
		if i%3 != 1 {
			b.Result(2*i, fmt.Sprintf(`{"got":%d}`, i))
		}
		b.Result(2*i+1, "text")
		if i%4 == 0 {
			b.Say(transcript.User, "more")
		}
	}
	v := NewView(b.Conv, Options{})
	for i := 1; i < len(b.Conv.Calls); i++ {
		earlier, later := v.Show(OfCall(i-1), math.Inf(1), Ending{}).Text, v.Show(OfCall(i), math.Inf(1), Ending{}).Text
		history := strings.Index(earlier, "<<<END "+v.nonce+" conversation>>>")
		if history < 0 || !strings.HasPrefix(later, earlier[:history]) {
			t.Errorf("calls %d and %d share less than the earlier history", i-1, i)
		}
	}
}

// Case 8: what a judge may not see does not occur in the request.
func TestForbiddenFieldsAreNotRendered(t *testing.T) {
	conv := judgetest.Support(t)
	const word = "kanarienvogel"
	conv.Expected = &transcript.Expected{Calls: []transcript.ExpectedCall{{Name: word, Arguments: judgetest.JSON(t, `{"a":"`+word+`"}`)}}, Outputs: []string{word}, Raw: value.OfString(word)}
	conv.Labels = []transcript.Label{{Name: word, Text: word}}
	conv.Sample = value.OfString(word)
	conv.Extra = value.OfString(word)
	conv.Notes = []transcript.Note{{Kind: word, Detail: word}}
	for i := range conv.Messages {
		conv.Messages[i].Reasoning = word
	}
	// The results of the judged turn and all that follows.
	for _, m := range conv.Messages[5:] {
		if m.Content == "" {
			t.Fatal("the conversation changed; this test needs texts after call 1")
		}
	}
	for i := 5; i < len(conv.Messages); i++ {
		conv.Messages[i].Content = word
	}
	conv.Calls[1].ID, conv.Calls[1].Problem = word, word
	for _, r := range judgetest.Rubrics(t) {
		for _, inSystem := range []bool{false, true} {
			for _, call := range []int{1, 2} {
				for _, m := range build(r, conv, call, Options{ExamplesInSystem: inSystem}) {
					if strings.Contains(m.Content, word) {
						t.Errorf("%s call %d: a forbidden field is rendered: %s", r.Name, call, m.Content)
					}
				}
			}
		}
	}
	// The test can fail: the same word in an allowed field is rendered.
	conv.Messages[1].Content = word
	if !strings.Contains(live(t, conv, 1), word) {
		t.Error("the check is blind")
	}
}

func TestNeutralised(t *testing.T) {
	tests := map[string]string{
		"<|im_start|>":               `"\u003c|im_start|>"`,
		"</think>":                   `"\u003c/think>"`,
		"[INST] a [/inst] [b] [IN":   `"\u005bINST] a \u005b/inst] [b] [IN"`,
		"[|user|] [/|x] [a|b]":       `"\u005b|user|] \u005b/|x] [a|b]"`,
		"[TOOL_CALLS][/Tool_x] [1]":  `"\u005bTOOL_CALLS]\u005b/Tool_x] [1]"`,
		"[AVAILABLE_TOOLS][ERROR]":   `"\u005bAVAILABLE_TOOLS][ERROR]"`,
		"＜｜User｜＞［INST］":             `"\uff1c\uff5cUser\uff5c\uff1e\uff3bINST\uff3d"`,
		"a\u3164\u115f\uffa0\u2800b": `"a\u3164\u115f\uffa0\u2800b"`,
		"a\ufe0f\u180b\U000e0101b":   `"a\ufe0f\u180b\udb40\udd01b"`,
		"a\nb\r\t\"\\":               `"a\nb\r\t\"\\"`,
		"\u2028\u2029":               `"\u2028\u2029"`,
		"\u202e\u200b\ufeff\u2066":   `"\u202e\u200b\ufeff\u2066"`,
		"\U000e0041x":                `"\udb40\udc41x"`,
		"\x00\x1f\x7f\u0085":         `"\u0000\u001f\u007f\u0085"`,
		"\xff":                       "\"\ufffd\"",
		"grüße 日本 ✓ 😀":               `"grüße 日本 ✓ 😀"`,
	}
	for in, want := range tests {
		if got := string(appendSafe(nil, value.OfString(in))); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
		var back string
		v, err := value.ParseString(string(appendSafe(nil, value.OfString(in))))
		if back, _ = v.Str(); err != nil || back != strings.ToValidUTF8(in, "\ufffd") {
			t.Errorf("%q does not read back: %q, %v", in, back, err)
		}
	}
}

// TestNonceIsExtended: wherever a log holds the code of the markers, the code is a longer one.
func TestNonceIsExtended(t *testing.T) {
	o := Options{RunKey: []byte("key")}
	plain := NewView(judgetest.Support(t), o).nonce
	for name, put := range map[string]func(*transcript.Conversation){
		"content":         func(c *transcript.Conversation) { c.Messages[1].Content = "code " + plain },
		"arguments":       func(c *transcript.Conversation) { c.Calls[1].RawArguments = plain },
		"name of a call":  func(c *transcript.Conversation) { c.Calls[1].Name = plain },
		"tool":            func(c *transcript.Conversation) { c.Tools[0].Description = plain },
		"expected answer": func(c *transcript.Conversation) { c.Expected = &transcript.Expected{Outputs: []string{plain}} },
	} {
		conv := judgetest.Support(t)
		put(conv)
		if longer := NewView(conv, o).nonce; len(longer) != nonceLength+1 || !strings.HasPrefix(longer, plain) {
			t.Errorf("%s: nonce %q after %q", name, longer, plain)
		}
	}
	if other := NewView(judgetest.Support(t), Options{RunKey: []byte("other")}).nonce; other == plain {
		t.Error("the run key does not matter")
	}
}

func TestLongRecords(t *testing.T) {
	b := judgetest.NewConversation(t, "big").Say(transcript.System, strings.Repeat("policy ", 300)).Say(transcript.User, "first wish, order 4711")
	for i := range 40 {
		b.Say(transcript.Assistant, strings.Repeat("x", 200)).Say(transcript.User, fmt.Sprintf("message %d", i))
		if i == 10 {
			b.Say(transcript.User, "my order is A-9000")
		}
	}
	b.Act("", `f {"order":"A-9000","n":3}`)
	v := NewView(b.Conv, Options{MaxRecordBytes: 2000, KeepLast: 4})
	got := v.Show(OfCall(0), math.Inf(1), Ending{})
	if !got.Shortened.Messages {
		t.Fatal("not marked as shortened")
	}
	for _, want := range []string{"[1] omitted\n[2] {", "first wish", "[25] {\"role\":\"user\",\"content\":\"my order is A-9000\"}\n[26-", "message 39", "message 38"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("missing %q in\n%s", want, got.Text)
		}
	}
	if strings.Contains(got.Text, "message 20\"") || len(got.Text) > 2600 {
		t.Errorf("too much is kept (%d bytes)", len(got.Text))
	}
	if NewView(b.Conv, Options{MaxRecordBytes: -1}).Show(OfCall(0), math.Inf(1), Ending{}).Shortened.Messages {
		t.Error("a negative bound shortens")
	}
	last := NewView(b.Conv, Options{MaxRecordBytes: 2000, KeepLast: 1}).Show(OfCall(0), math.Inf(1), Ending{}).Text
	if !strings.Contains(last, "message 39") || strings.Contains(last, "message 38") {
		t.Errorf("more than the last line is kept:\n%s", last)
	}
	b.Conv.Messages[0].Content = strings.Repeat("policy.", 256<<10/7)
	if !NewView(b.Conv, Options{}).Show(OfCall(0), math.Inf(1), Ending{}).Shortened.Messages {
		t.Error("a record of more than 256 KiB is shown whole")
	}
}

// checkFrame verifies the framing invariant: every line of a data block is a
// marker, an omitted line, or a JSON value with or without its number, and there
// are as many lines as items.
func checkFrame(t *testing.T, message, nonce string, tools, history, proposed int) {
	t.Helper()
	lines := strings.Split(message, "\n")
	if lines[len(lines)-1] != closingLine(rubrics.ScopeCall) {
		t.Fatalf("last line %q", lines[len(lines)-1])
	}
	counts := map[string]int{}
	block := ""
	for _, line := range lines[:len(lines)-1] {
		if name, ok := strings.CutPrefix(line, "<<<RECORD "+nonce+" "); ok {
			if block != "" {
				t.Fatalf("block %s opens in block %s", name, block)
			}
			block = strings.TrimSuffix(name, ">>>")
			continue
		}
		if line == "<<<END "+nonce+" "+block+">>>" {
			block = ""
			continue
		}
		if block == "" {
			t.Fatalf("line outside of a block: %q", line)
		}
		if block == "conversation" {
			number, rest, ok := strings.Cut(line, "] ")
			if !ok || !strings.HasPrefix(number, "[") {
				t.Fatalf("line without a number: %q", line)
			}
			if rest == "omitted" {
				continue
			}
			line = rest
		}
		if strings.Contains(line, "<") {
			t.Fatalf("unescaped < in %q", line)
		}
		for _, r := range line {
			if r < ' ' || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029 {
				t.Fatalf("control character %U in %q", r, line)
			}
		}
		if _, err := value.ParseString(line); err != nil {
			t.Fatalf("no JSON: %q: %v", line, err)
		}
		counts[block]++
	}
	want := map[string]int{"tools": tools, "conversation": history, "call": 1}
	if proposed > 0 {
		want["proposed"] = proposed
	}
	for k, n := range want {
		if n == 0 {
			delete(want, k)
		}
	}
	if d := cmp.Diff(want, counts); d != "" {
		t.Fatal(d)
	}
}

// Case 9: no record breaks the frame, with datamarking and without.
func FuzzFraming(f *testing.F) {
	f.Add("hi\n[2] {\"role\":\"user\"}", "f\n<<<END", `{"a":"</think>[INST]"}`, "out\u2028<|im_end|>", "N")
	f.Add("\U000e0041\u202e", "", "{broken\n\r", "<<<RECORD", "k")
	f.Fuzz(func(t *testing.T, content, name, args, output, id string) {
		b := judgetest.NewConversation(t, id)
		b.Conv.Tools = append(b.Conv.Tools, transcript.Tool{Name: name, Description: content, Parameters: value.OfString(output)})
		name = strings.ReplaceAll(name, " ", "_")
		b.Say(transcript.User, content).Act(content, name+" "+args, "g "+args).Result(0, output).Result(1, content)
		b.Act("", "h "+args, name+" {}", "i "+content)
		history := 3
		if content != "" {
			history++
		}
		for _, marker := range []string{"", DefaultMarker, "\ue000"} {
			v := NewView(b.Conv, Options{RunKey: []byte(id), Marker: marker})
			text := v.Show(OfCall(2), math.Inf(1), Ending{}).Text
			checkFrame(t, text, v.nonce, 1, history, 2)
			if n := strings.Count(text, v.nonce); n != 8 {
				t.Fatalf("the nonce occurs %d times", n)
			}
		}
	})
}

func live(t testing.TB, conv *transcript.Conversation, call int) string {
	t.Helper()
	return NewView(conv, Options{}).Show(OfCall(call), math.Inf(1), Ending{}).Text
}

// build returns the messages that ask for one judgement, with all examples.
func build(r *rubrics.Rubric, conv *transcript.Conversation, call int, o Options) []message {
	f := NewFrame(r, nil, o)
	text := NewView(conv, o).Show(OfCall(call), math.Inf(1), Ending{}).Text
	return append(f.Messages[len(r.Examples)], message{Role: "user", Content: text})
}
