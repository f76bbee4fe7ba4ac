package reply

import (
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/bounded"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

func TestRefusals(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Intent)
	four := judgetest.Answer("4")
	for _, tc := range []struct {
		content, refusal, want string
	}{
		{"I'm sorry, but I can't help with that.", "", KindRefused},
		{"I’m unable to assist with this request.", "", KindRefused},
		{"Sorry, I cannot do that.", "", KindRefused},
		{"**I must respectfully decline.**", "", KindRefused},
		{"Unfortunately, I am not able to judge this.", "", KindRefused},
		{"We cannot process this content.", "", KindRefused},
		{"Lo siento, no puedo ayudar con eso.", "", KindRefused},
		{"抱歉，我无法回答。", "", KindRefused},
		{"", "No.", KindRefused},
		{"Hm, no.", "I will not.", KindRefused},
		{"I cannot see an error in this call. Score: 4", "", KindInvalidJSON},
		{"The user can't help it; the agent was right. 5", "", KindInvalidJSON},
		{"I can help with that. The score is 4.", "", KindInvalidJSON},
		{"Sorry for the delay. The score is 4.", "", KindInvalidJSON},
		{"I'm sorry, I can't help. " + judgetest.Answer("7"), "", KindSchemaViolation},
		{"I'm sorry for the delay, I can't say more. " + four, "", ""},
		{four, "I will not.", ""},
		{strings.Replace(four, "The call fits", "I can't help with that, but it fits", 1), "", ""},
	} {
		got := Read(r, &llm.Response{Content: tc.content, Refusal: tc.refusal, FinishReason: "stop"}, Options{})
		if got.Kind != tc.want {
			t.Errorf("%q, refusal %q: %q (%s), want %q", tc.content, tc.refusal, got.Kind, got.Detail, tc.want)
		}
	}
}

// TestBlankTail: a reply that ends in a loop of blanks has more than 30 % of them in its last 512 bytes.
func TestBlankTail(t *testing.T) {
	for _, tt := range []struct {
		front, blanks int
		loop          bool
	}{
		{0, 255, false}, {0, 256, true}, {182, 78, false}, {181, 79, true}, {10_000, 153, false}, {10_000, 154, true},
	} {
		for _, blank := range []string{" ", "\n", "\t", "\r"} {
			text := strings.Repeat("x", tt.front) + strings.Repeat(blank, tt.blanks)
			if got := blankTail(text); got != tt.loop {
				t.Errorf("%d times %q after %d bytes: a loop %v", tt.blanks, blank, tt.front, got)
			}
		}
	}
}

// TestRepairRequests: no two requests for a correction are the same, and each says what was wrong.
func TestRepairRequests(t *testing.T) {
	const ask = "Your previous answer was not accepted: no JSON object. Return the JSON object only. Do not change your assessment."
	for nth, want := range map[int]string{
		1: ask, 2: ask + " This is request 2 for a correction.", 3: ask + " This is request 3 for a correction.",
	} {
		list := Repair([]llm.Message{{Role: "user", Content: "q"}}, Reading{Detail: "no JSON object"}, nth)
		if len(list) != 3 || list[1].Content != "(empty)" || list[2].Content != want {
			t.Errorf("request %d: %+v", nth, list)
		}
	}
}

// Hostile text is read in bounded time.
func TestReadIsBounded(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Intent)
	if got := Read(r, &llm.Response{Content: judgetest.Answer("4") + strings.Repeat(" {", 200), FinishReason: "stop"}, Options{}); got.Kind != "" {
		t.Errorf("an answer before many open braces: %s %s", got.Kind, got.Detail)
	}
	with := func(old, text string) string { return strings.Replace(judgetest.Answer("4"), old, text, 1) }
	for name, content := range map[string]string{
		"braces":          strings.Repeat("{", 1<<20),
		"objects":         strings.Repeat("{}", 1<<19),
		"opened strings":  strings.Repeat(`{"a":"`, 1<<17),
		"levels":          strings.Repeat(`{"a":`, 1<<17) + "1" + strings.Repeat("}", 1<<17),
		"brackets":        with("{}", strings.Repeat("[", 1<<18)+strings.Repeat("]", 1<<18)),
		"commas":          strings.Repeat(`{"a":1,`+strings.Repeat(" ", 1000)+"}", 1<<10),
		"commas in blank": "{" + strings.Repeat(", ", 1<<19) + "}",
		"keys":            with(`"output"`, strings.Repeat(`"k":1,`, 1<<17)+`"output"`),
		"regret":          strings.Repeat("I am sorry ", 1<<16),
	} {
		bounded.Within(t, 3*time.Second, name, func() {
			Read(r, &llm.Response{Content: content, FinishReason: "stop"}, Options{})
		})
	}
}
