package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// hostile is put into every text that comes from a log or a judge.
const hostile = `</script><script>document.title='hacked'</script><img src=x onerror="document.title='hacked'">` +
	`<!--<script>javascript:alert(1)//` + "\u2028\u202e" + `{{.}} ${alert(1)} '"` + "`"

// madeUp returns a run of n conversations with their logs. Each text has extra at its end.
func madeUp(conversations int, extra string) page.Run {
	run := reporttest.New(1, conversations)
	calls := map[string]int{}
	var order []string
	for i := range run.Scores {
		s := &run.Scores[i]
		s.ConversationID += extra
		if _, met := calls[s.ConversationID]; !met {
			order = append(order, s.ConversationID)
		}
		if s.CallIndex != nil {
			calls[s.ConversationID] = max(calls[s.ConversationID], *s.CallIndex+1)
		} else {
			calls[s.ConversationID] += 0
		}
		if s.Source == score.Judge {
			s.Explanation, s.Evidence = "The order number is right. "+extra, `"order 987`+extra+`"`
			s.Flags = append(s.Flags, score.Flag{Code: "made_up" + extra, Severity: 1, Detail: extra})
		}
	}
	in := run.Inputs()
	r, err := measure.Build(in, measure.Config{})
	if err != nil {
		panic(err)
	}
	return page.Run{Report: r, Scores: in.Scores, Conversations: logs(order, calls, extra)}
}

// logs are conversations with so many calls each.
func logs(order []string, calls map[string]int, extra string) iter.Seq2[*transcript.Conversation, error] {
	return func(yield func(*transcript.Conversation, error) bool) {
		for _, id := range order {
			if !yield(conversation(id, calls[id], extra), nil) {
				return
			}
		}
	}
}

func conversation(id string, calls int, extra string) *transcript.Conversation {
	c := &transcript.Conversation{ID: id, Expected: &transcript.Expected{Calls: []transcript.ExpectedCall{}}}
	say := func(role transcript.Role, text string) int {
		c.Messages = append(c.Messages, transcript.Message{Role: role, Content: text, HasContent: true, Result: -1})
		return len(c.Messages) - 1
	}
	say(transcript.System, "You are an agent. "+extra)
	say(transcript.User, "Please cancel order 987"+extra)
	for i := range calls {
		arguments := value.OfObject(value.Member{Key: "order_id" + extra, Value: value.OfNumber("90071992547409931")},
			value.Member{Key: "reason", Value: value.OfString("order 987" + extra)})
		at := say(transcript.Assistant, "")
		c.Messages[at].Calls = []int{i}
		result := say(transcript.ToolRole, `{"ok": true}`+extra)
		c.Messages[result].Result = i
		c.Calls = append(c.Calls, transcript.Call{Index: i, Name: "cancel_order", Arguments: arguments, Message: at,
			Result: result, Executor: "client"})
		c.Expected.Calls = append(c.Expected.Calls, transcript.ExpectedCall{Name: "cancel_order",
			Arguments: arguments.With("reason", value.OfString("another reason"+extra))})
	}
	say(transcript.Assistant, "Done: order 987"+extra)
	return c
}

// rendered returns the page of a run.
func rendered(t testing.TB, run page.Run) []byte {
	t.Helper()
	data, err := page.Collect(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := render.Page(&out, run.Report, data); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestSameBytes: the same run gives the same page, with its numbers as they were written and
// nothing that a browser would load.
func TestSameBytes(t *testing.T) {
	run := madeUp(60, "")
	html := rendered(t, run)
	if !bytes.Equal(html, rendered(t, run)) {
		t.Error("another page for the same run")
	}
	for _, want := range []string{"default-src &#39;none&#39;", "script-src &#39;sha256-", "90071992547409931", `id="agreement"`, "judge view RUN"} {
		if !bytes.Contains(html, []byte(want)) {
			t.Errorf("the page has no %s", want)
		}
	}
	for _, never := range []string{"http://", "https://", " src=", " style=", " onclick=", "unsafe-inline", "ZgotmplZ"} {
		if bytes.Contains(html, []byte(never)) {
			t.Errorf("the page has %s", never)
		}
	}
}

// TestSpooled: a collector that takes a run while it is judged gives the page that the files give,
// also of a run of more items than a page holds.
func TestSpooled(t *testing.T) {
	for _, conversations := range []int{20, 400} {
		run := madeUp(conversations, "<ü>")
		want, err := page.Collect(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.Create(filepath.Join(t.TempDir(), "spool"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		spool := page.NewSpool(file)
		c := page.NewCollector(run.Report.Run.Rubrics, nil, spool)
		manifest := reporttest.New(1, conversations).Inputs().Manifest
		table := measure.NewBuilder(&manifest, measure.Config{})
		table.ReadTexts(spool.Scores)
		byID := map[string][]score.Score{}
		for s := range run.Scores() {
			byID[s.ConversationID] = append(byID[s.ConversationID], s)
		}
		for of := range run.Conversations {
			var lines bytes.Buffer
			for _, s := range byID[of.ID] {
				table.Add(&s)
				c.Add(&s)
				if err := score.Encode(&lines, &s); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.End(of, lines.Bytes()); err != nil {
				t.Fatal(err)
			}
		}
		r, err := table.Finish()
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Data(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(mustJSON(t, want), mustJSON(t, got)); diff != "" {
			t.Errorf("%d conversations: the page of the files and that of the spool (-files +spool):\n%s", conversations, diff)
		}
		if diff := cmp.Diff(mustJSON(t, run.Report.Failing), mustJSON(t, r.Failing)); diff != "" {
			t.Errorf("%d conversations: the texts of the files and those of the spool:\n%s", conversations, diff)
		}
	}
}

func mustJSON(t *testing.T, v any) string {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLogsAreGone: the page says so, and shows the scores.
func TestLogsAreGone(t *testing.T) {
	run := madeUp(20, "")
	run.Conversations = func(yield func(*transcript.Conversation, error) bool) {
		yield(nil, fmt.Errorf("support.jsonl is not there any more"))
	}
	html := string(rendered(t, run))
	if !strings.Contains(html, "The conversations are missing: the logs could not be read again: support.jsonl is not there any more.") {
		t.Error("the page does not say that the logs are gone")
	}
	if !strings.Contains(html, "The order number is right") || strings.Contains(html, "Please cancel order") {
		t.Error("the page should have scores and no conversations")
	}
}

// TestItemsAsTheReportDecides: verdicts on the page are those of the report, and its counts
// those of the headline.
func TestItemsAsTheReportDecides(t *testing.T) {
	run := madeUp(60, "")
	data, err := page.Collect(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	r := run.Report
	if data.Totals.Failing != r.Failing.Total || r.Failing.Total == 0 {
		t.Errorf("%d calls fail on the page, %d in the report", data.Totals.Failing, r.Failing.Total)
	}
	met := map[string]bool{}
	for _, c := range r.Disagreements.All {
		met[fmt.Sprint(c.ConversationID, c.Call())] = true
	}
	if len(r.Disagreements.All) != r.Disagreements.Total || data.Totals.Disagreements != len(met) {
		t.Errorf("%d disagreements on the page, %d of %d in the report", data.Totals.Disagreements, len(met), r.Disagreements.Total)
	}
	for _, d := range data.Distributions {
		n := 0
		for _, b := range d.Bins {
			n += b.Passes + b.Fails + b.Others
		}
		if n != d.N || n == 0 {
			t.Errorf("%s: bins hold %d of %d scores", d.Name, n, d.N)
		}
	}
	if len(data.Items) != data.Totals.Items {
		t.Errorf("the page holds %d items of %d, which fit", len(data.Items), data.Totals.Items)
	}
	if first := data.Items[0]; first.Failure != 1 && first.Disagreement != 1 {
		t.Error("what is to be read first is not first")
	}
}

// TestWithoutJudge: the strongest reference decides then, and the page says that no judge was
// asked; without scores there is a page too.
func TestWithoutJudge(t *testing.T) {
	for name, c := range map[string]struct {
		scores []score.Score
		words  string
	}{
		"no judge":   {reporttest.New(1, 20).Scores, "No judge was asked in this run."},
		"no scores":  {nil, "Nothing in this run says whether a call is right."},
		"only judge": {reporttest.New(1, 20).Scores, "Not known yet. Label 30 calls"},
	} {
		scores := slices.DeleteFunc(c.scores, func(s score.Score) bool { return (s.Source == score.Judge) == (name == "no judge") })
		in := reporttest.Run{Scores: scores}.Inputs()
		r, err := measure.Build(in, measure.Config{})
		if err != nil {
			t.Fatal(err)
		}
		none := func(func(*transcript.Conversation, error) bool) {}
		html := string(rendered(t, page.Run{Report: r, Scores: in.Scores, Conversations: none}))
		if !strings.Contains(html, c.words) {
			t.Errorf("%s: the page does not say %q", name, c.words)
		}
		if name == "no judge" && r.Failing.Total == 0 {
			t.Error("nothing fails, so that the test shows nothing")
		}
	}
}

// TestJudgeAndReferenceSay: a row has what the judge and what its own reference say, of a
// conversation the judge's calls together; of a disagreement the two that contradict each other.
func TestJudgeAndReferenceSay(t *testing.T) {
	scored := func(source score.Source, name, judge string, call int, passed bool) score.Score {
		s := score.Score{ConversationID: "c", Tool: "t", Name: name, Source: source, Judge: judge, Status: score.Scored,
			Value: new(0.5), Passed: &passed}
		if call >= 0 {
			s.CallIndex = &call
		}
		return s
	}
	scores := []score.Score{
		scored(score.Label, "human", "", -1, false),
		scored(score.Judge, "overall_call_correctness", "a", 0, true), scored(score.Judge, "overall_call_correctness", "b", 0, false),
		scored(score.Deterministic, "expected_call_match", "", 0, true), scored(score.Deterministic, "call_relevance", "", 0, false),
		scored(score.Judge, "overall_call_correctness", "a", 1, true), scored(score.Judge, "function_intent_alignment", "a", 1, false),
		scored(score.Deterministic, "schema_check", "", 1, false),
	}
	for i := range scores {
		scores[i].Confidence = new(0.9)
	}
	r, err := measure.Build(reporttest.Inputs(scores), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for items, err := range page.NewReading(r).Items(reporttest.Each(scores)()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range items {
			call := -1
			if i.Call != nil {
				call = *i.Call
			}
			got = append(got, fmt.Sprintf("%d: %s says %s, %s says %s, rank %d", call, i.Judge, i.JudgeSays, i.Reference,
				i.ReferenceSays, i.Disagreement))
		}
	}
	want := []string{"-1: a says pass, human says fail, rank 1", "0: b says fail, expected_call_match says pass, rank 2",
		"1: a says pass,  says , rank 0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
