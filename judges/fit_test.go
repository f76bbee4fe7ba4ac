package judges

import (
	"math"
	"testing"

	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/judges/internal/prompt"
)

// prompts yields the first prompts of all calls of a conversation, rubric by rubric.
func (j *Judge) prompts(conv *Conversation, yield func([]Message)) {
	v := prompt.NewView(conv, j.cfg.Prompt)
	for i := range j.rubrics {
		for _, call := range AllCalls(conv) {
			messages, _, _ := j.rubrics[i].messages(v, OfCall(call), j.Limit())
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
	j.Fits(conv, &Prefixes{}, func(f *Fit) bool {
		if i >= len(sizes) {
			t.Fatal("more prompts are foretold than made")
		}
		size := sizes[i]
		if i++; math.Abs(float64(f.Bytes-size)) > 300 {
			t.Errorf("%s of call %d: %d bytes are foretold and %d are sent", f.Rubric, f.Target.Call, f.Bytes, size)
		}
		// The rule of thumb: 3.6 bytes a token, and some tokens for each message.
		if least := float64(size) / 3.6; float64(f.Tokens) < least || float64(f.Tokens) > least+150 || f.FullTokens != f.Tokens {
			t.Errorf("%s of call %d: %d of %d tokens are foretold, about %.0f are sent", f.Rubric, f.Target.Call, f.Tokens, f.FullTokens, least)
		}
		return true
	})
	if i != len(sizes) || i != 4*len(calls) {
		t.Errorf("%d prompts are foretold, %d are made", i, len(sizes))
	}
}

// TestComputedOfEach: of each prompt as much is foretold to be computed as no earlier prompt begins with, and a little
// more for the marks around messages.
func TestComputedOfEach(t *testing.T) {
	for _, layout := range append(prompt.Layouts(), "", Together) {
		j := intentJudge(t, judgetest.Replies(""), func(c *Config) {
			c.Rubrics, c.Prompt = intentRubrics(t), Options{Layout: layout, RunKey: []byte("k")}
		})
		cached, sent := &Prefixes{}, []string{}
		for _, first := range []string{"Please cancel it.", "Something else, please."} {
			conv := longConversation(t, 3)
			conv.Messages[0].Content = first
			fits := 0
			j.Fits(conv, cached, func(f *Fit) bool {
				fits++
				if f.Shared {
					if f.Computed != 0 || f.Bytes != 0 || f.Tokens != 0 || f.FullTokens == 0 || layout != Together {
						t.Errorf("a shared prompt is foretold twice: %+v", f)
					}
					return true
				}
				req, err := j.Request(f.Rubric, conv, f.Target)
				if err != nil {
					t.Fatal(err)
				}
				text, common, size := "", 0, 0
				for _, m := range req.Messages {
					text, size = text+m.Role+m.Content, size+len(m.Content)
				}
				if f.Bytes < size-10 || f.Bytes > size+200 || f.FullTokens != f.Tokens {
					t.Errorf("%s: %d bytes and %d of %d tokens are foretold, %d bytes are sent", layout, f.Bytes, f.Tokens,
						f.FullTokens, size)
				}
				for _, s := range sent {
					n := 0
					for n < min(len(s), len(text)) && s[n] == text[n] {
						n++
					}
					common = max(common, n)
				}
				sent = append(sent, text)
				if more := f.Computed - float64(len(text)-common)/3.6; more < 0 || more > 130 {
					t.Errorf("%s, %s of call %d: %.0f tokens are foretold, %.0f too many", layout, f.Rubric, f.Target.Call,
						f.Computed, more)
				}
				return true
			})
			if fits != 6 {
				t.Errorf("%s: %d judgements of six are foretold", layout, fits)
			}
		}
	}
}

// TestFitsOfSegments: what has no room as a whole is foretold by the sums of its segments, each with
// all that stands around it.
func TestFitsOfSegments(t *testing.T) {
	script := judgetest.Replies(scopeAnswer(`"yes"`, "NONE: nothing"))
	j := intentJudge(t, script, func(c *Config) {
		asks(question(t, "answer: yes/no\npass: yes\nscope: conversation"))(c)
		c.Prompt.Limit.Tokens, c.Concurrency = 4096, 1
	})
	conv := longConversation(t, 40)
	if _, err := j.Conversation(t.Context(), conv); err != nil {
		t.Fatal(err)
	}
	size, tokens, n := 0, 0, len(script.Requests)
	for _, req := range script.Requests {
		tokens += j.Limit().Estimate(req.Messages)
		for _, m := range req.Messages {
			size += len(m.Content)
		}
	}
	j.Fits(conv, &Prefixes{}, func(f *Fit) bool {
		if f.TooLong || f.Segments != n || n < 3 || f.FullTokens < 8000 || f.FullTokens > f.Tokens {
			t.Errorf("%d of %d segments, %d tokens for the whole", f.Segments, n, f.FullTokens)
		}
		if math.Abs(float64(f.Bytes-size)) > float64(300*n) || f.Tokens < tokens || f.Tokens > tokens+150*n {
			t.Errorf("%d bytes and %d tokens are foretold, %d and %d are sent", f.Bytes, f.Tokens, size, tokens)
		}
		return true
	})
}
