package judges

import (
	"math"
	"strings"
	"testing"

	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/prompt"
)

// prompts yields the first prompts of all calls of a conversation, rubric by rubric.
func (j *Judge) prompts(conv *Conversation, yield func([]Message)) {
	v := prompt.NewView(conv, j.cfg.Prompt)
	for i := range j.rubrics {
		for _, call := range AllCalls(conv) {
			messages, _, _ := j.rubrics[i].messages(v, call, j.Limit())
			yield(messages)
		}
	}
}

// TestFitsAreThePrompts: the size that is foretold of a prompt, in bytes and in tokens, is
// about that of the messages that are sent.
func TestFitsAreThePrompts(t *testing.T) {
	j, err := New(judgetest.Replies(""), Config{Model: "m", Prompt: Options{RunKey: []byte("k")}})
	if err != nil {
		t.Fatal(err)
	}
	conv := judgetest.Support(t)
	calls := AllCalls(conv)
	var sizes []int
	j.prompts(conv, func(messages []Message) {
		n := 0
		for _, m := range messages {
			n += len(m.Content)
		}
		sizes = append(sizes, n)
	})
	i := 0
	j.Fits(conv, calls, &Prefixes{}, func(f *Fit) bool {
		if i >= len(sizes) {
			t.Fatal("more prompts are foretold than made")
		}
		size := sizes[i]
		if i++; math.Abs(float64(f.Bytes-size)) > 300 {
			t.Errorf("%s of call %d: %d bytes are foretold and %d are sent", f.Rubric, f.CallIndex, f.Bytes, size)
		}
		// The rule of thumb: 3.6 bytes a token, and some tokens for each message.
		if least := float64(size) / 3.6; float64(f.Tokens) < least || float64(f.Tokens) > least+150 || f.FullTokens != f.Tokens {
			t.Errorf("%s of call %d: %d of %d tokens are foretold, about %.0f are sent", f.Rubric, f.CallIndex, f.Tokens, f.FullTokens, least)
		}
		return true
	})
	if i != len(sizes) || i != 4*len(calls) {
		t.Errorf("%d prompts are foretold, %d are made", i, len(sizes))
	}
}

// A count shows a cut only if no honest server could have counted so few tokens, or if it
// fills the window.
func TestCountsThatShowACut(t *testing.T) {
	for _, tc := range []struct {
		bytes, window, counted int
		cut                    bool
	}{
		{13_000, 0, 3600, false},
		{13_000, 0, 2200, false}, // English prose with few tokens
		{13_000, 0, 2048, true},
		{13_000, 0, 2041, true},
		{13_000, 0, 2000, false}, // no usual window: the server may leave out what it has cached
		{13_000, 0, 2049, false},
		{13_000, 8192, 2048, true}, // cut to less than the window
		{13_000, 0, 512, false},    // no server has so small a window
		{13_000, 0, 1, false},      // a server that counts all prompts alike
		{13_000, 4096, 4096, true},
		{13_000, 4096, 4088, true},
		{13_000, 4096, 4087, false},
		{13_000, 4096, 4097, false}, // the real window is larger
	} {
		j := &Judge{cfg: Config{Prompt: Options{Limit: Limit{Tokens: tc.window}}}}
		messages := []Message{{Content: strings.Repeat("x", tc.bytes)}}
		if why := j.cut(messages, &tc.counted); (why != "") != tc.cut {
			t.Errorf("%+v: %q", tc, why)
		}
	}
}
