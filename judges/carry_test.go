package judges

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// A panel keeps its spokesman's flags, carries what is severe from every member whose
// score counts, and escalates on it; both ways of joining do.
func TestPanelCarriesSevereFlags(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Intent)
	flag := func(code string, severity int, detail string) score.Flag {
		return score.Flag{Code: code, Severity: severity, Detail: detail}
	}
	list := []Result{answered("a", "5"), answered("b", "5"), answered("c", "4"), answered("d", "")}
	list[0].Flags = []score.Flag{flag("order_violated", 1, "x")}
	list[1].Flags = []score.Flag{flag("injection_suspect", 2, "odd"), flag("order_violated", 1, "y")}
	list[2].Flags = []score.Flag{flag("injection_suspect", 2, "odd"), flag("multiple_answers", 2, "")}
	list[3].Flags = []score.Flag{flag("repair_changed_score", 2, "void")}
	list[2].ContextTruncated = true
	severe := []score.Flag{
		flag("injection_suspect", 2, "b, c: odd"), flag("multiple_answers", 2, "c"),
		flag("context_truncated", 1, "a member of the panel saw a shortened history"),
	}
	got, err := joined(Panel{}, r, list)
	if err != nil {
		t.Fatal(err)
	}
	want := append([]score.Flag{flag("order_violated", 1, "x")}, severe...)
	if d := cmp.Diff(want, got.Flags); d != "" || !got.Escalate || !got.ContextTruncated || got.Verdict != Pass {
		t.Errorf("joined: escalate %v: %s", got.Escalate, d)
	}
	long := answered("a", "5")
	long.Flags = []score.Flag{flag("injection_suspect", 2, strings.Repeat("x", 500))}
	if got, err = joined(Panel{Quorum: 1}, r, []Result{long}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]score.Flag{flag("injection_suspect", 2, "a: "+strings.Repeat("x", 396)+"…")}, got.Flags); d != "" {
		t.Error(d)
	}
}

func TestShortenedWithoutQuorum(t *testing.T) {
	list := []Result{answered("a", ""), answered("b", "")}
	list[1].ContextTruncated = true
	got, err := joined(Panel{}, judgetest.Rubric(t, rubrics.Intent), list)
	if err != nil || !got.ContextTruncated || got.ErrorKind != KindNoQuorum || got.ErrorDetail != "0 of 2 judges answered" {
		t.Errorf("%v %+v", err, got)
	}
}

func TestKin(t *testing.T) {
	for _, tc := range [][3]string{
		{"gpt-4o", "openai/GPT-4o", "model"}, {"gpt-4o-2024-11-20", "azure/gpt-4o-mini", "family"}, {"o3-mini", "gpt-4.1", "family"},
		{"Qwen/Qwen2.5-72B-Instruct", "qwen3:8b", "family"}, {"us.anthropic.claude-3-5-haiku", "claude-opus-4", "family"},
		{"meta-llama/Llama-3.1-8B", "llama3.3:70b", "family"}, {"deepseek-r1-distill-qwen-7b", "deepseek-chat", "family"},
		{"m", "m", "model"}, {"mine-7b", "mine-13b", ""}, {"gpt-4o", "claude-3", ""}, {"opus", "o3", ""}, {"gpt-4o", "", ""}, {"", "", ""}, {"baseline-rules", "gpt-4o", ""},
	} {
		if got := kin(tc[0], tc[1]); got != tc[2] || kin(tc[1], tc[0]) != tc[2] {
			t.Errorf("%s and %s: %q, want %q", tc[0], tc[1], got, tc[2])
		}
	}
}
