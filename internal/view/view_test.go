package view

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript/format"
)

// indexed returns a snapshot of random scores, and the items that page makes of them.
func indexed(t *testing.T, conversations int) (*snapshot, []*page.Item) {
	t.Helper()
	run := reporttest.New(3, conversations)
	slices.SortStableFunc(run.Scores, func(a, b score.Score) int { return strings.Compare(a.ConversationID, b.ConversationID) })
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range run.Scores {
		if s := &run.Scores[i]; rng.IntN(5) == 0 {
			s.Flags = append(s.Flags, score.Flag{Code: fmt.Sprintf("odd_%d", rng.IntN(3)), Severity: 1 + rng.IntN(2)})
			s.Explanation = fmt.Sprintf("Because Of %d", rng.IntN(9))
		}
	}
	r, err := measure.Build(run.Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "scores.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := score.NewWriter(f, "r")
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range run.Scores {
		if i == len(run.Scores)/2 {
			fmt.Fprint(f, "") // lines that are no scores are left out, and move no place
			_ = w.Flush()
			fmt.Fprintln(f, `{"torn`)
		}
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	s := &snapshot{report: r, byID: map[string]int{}, tools: map[string]string{}}
	if err := s.fillFrom(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	var want []*page.Item
	scores := func(yield func(score.Score, error) bool) {
		for _, x := range run.Scores {
			if !yield(x, nil) {
				return
			}
		}
	}
	for items, err := range page.NewReading(r).Items(iter.Seq2[score.Score, error](scores)) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, items...)
	}
	return s, want
}

func emptyRecords(t *testing.T) *records {
	t.Helper()
	r := newRecords(format.Options{})
	r.done = true
	return r
}

// jsonOf returns what the page is sent.
func jsonOf(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func seeAll(string) bool { return false }

// TestQueryIsThePages: what the rows in memory answer is what the page's own rules make of
// the whole items: filters, search, order and part, for queries of every kind.
func TestQueryIsThePages(t *testing.T) {
	s, all := indexed(t, 120)
	r := emptyRecords(t)
	rng := rand.New(rand.NewPCG(5, 6))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	found := 0
	for n := range 400 {
		some := all[rng.IntN(len(all))]
		q := page.Query{Text: pick("", "", "because of 4", some.Conversation), Conversation: pick("", "", "", some.Conversation),
			Sort: pick("failure", "disagreement", "order", "tool", "verdict", "confidence"),
			Down: rng.IntN(2) == 0, Offset: rng.IntN(3), Limit: rng.IntN(20)}
		offered := []string{"show=" + pick(page.ShowFailing, page.ShowFailingConversations, page.ShowDisagreements,
			page.ShowFlagged, page.ShowMissing), "tool=" + some.Tool, "flag=odd_1", "verdict=" + pick("pass", "fail", "none")}
		for _, x := range some.Scores {
			verdict := pick("", "\nverdict="+pick("pass", "fail", "none"))
			offered = append(offered, "scorer="+pick("pass ", "fail ")+x.Name, "rubric="+x.Name+verdict,
				"judge="+x.Judge+verdict, "rubric="+x.Name+"\njudge="+x.Judge+verdict)
		}
		for range rng.IntN(3) {
			q.Terms = append(q.Terms, offered[rng.IntN(len(offered))])
		}
		got, err := s.query(t.Context(), r, q, seeAll, seeEvery)
		if err != nil {
			t.Fatal(err)
		}
		want, total := reporttest.Selected(q, all)
		if got.Total != total {
			t.Errorf("query %d %+v: %d items, want %d", n, q, got.Total, total)
			continue
		}
		found += total
		if diff := cmp.Diff(jsonOf(t, want), jsonOf(t, got.Items)); diff != "" && len(want)+len(got.Items) > 0 {
			t.Errorf("query %d %+v:\n%.2000s", n, q, diff)
		}
	}
	if found < 1000 {
		t.Errorf("the queries found %d items in all: they test little", found)
	}
}

// TestBlindItemsSayNothing: a query over blind items finds them only where it asks for
// nothing that was said of them.
func TestBlindItemsSayNothing(t *testing.T) {
	s, all := indexed(t, 40)
	hidden := all[0].Conversation
	blind := func(id string) bool { return id == hidden }
	for _, q := range []page.Query{{Terms: []string{"show=failing"}}, {Terms: []string{"show=disagreements"}},
		{Terms: []string{"show=flagged"}}, {Terms: []string{"verdict=pass"}}, {Terms: []string{"verdict=fail"}},
		{Text: "because of"}, {Terms: []string{"flag=odd_1"}}} {
		q.Limit = maxPart
		got, err := s.query(t.Context(), emptyRecords(t), q, blind, seeEvery)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range got.Items {
			if i.Conversation == hidden {
				t.Errorf("%+v finds a blind item", q)
			}
		}
	}
	got, err := s.query(t.Context(), emptyRecords(t), page.Query{Conversation: hidden}, blind, seeEvery)
	if err != nil || got.Total == 0 {
		t.Fatal(err, got.Total)
	}
	byID, err := s.query(t.Context(), emptyRecords(t), page.Query{Text: hidden}, blind, func(id string) bool { return id == hidden })
	if err != nil || byID.Total != got.Total {
		t.Errorf("by its id %d items are found, want %d; %v", byID.Total, got.Total, err)
	}
	for _, i := range got.Items {
		if want := (page.Item{Conversation: hidden, Call: i.Call, Tool: i.Tool, Place: i.Place, Order: i.Order, Scores: []page.Score{}}); jsonOf(t, i) != jsonOf(t, want) {
			t.Errorf("a blind item says %s", jsonOf(t, i))
		}
	}
}

// TestQueryOfOneConversation: a conversation has its own items and no others; one that the run does not have has none.
func TestQueryOfOneConversation(t *testing.T) {
	s, all := indexed(t, 40)
	want := 0
	for _, i := range all {
		if i.Conversation == all[0].Conversation {
			want++
		}
	}
	for id, want := range map[string]int{all[0].Conversation: want, "nobody": 0, "": len(all)} {
		got, err := s.query(t.Context(), emptyRecords(t), page.Query{Conversation: id}, seeAll, seeEvery)
		if err != nil || got.Total != want {
			t.Errorf("%q: %d items, want %d; %v", id, got.Total, want, err)
		}
	}
}

// TestSearchAgain: a text that was searched for before all logs were read is searched for again, and one that was
// searched for in all of them is not. What cannot be searched says so.
func TestSearchAgain(t *testing.T) {
	s, all := indexed(t, 3)
	r := newRecords(format.Options{})
	t.Cleanup(r.close)
	if err := r.open(); err != nil {
		t.Fatal(err)
	}
	search := func() *hits {
		t.Helper()
		h, err := s.search(t.Context(), r, "needle")
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if h := search(); len(h.conversations)+len(h.rows) > 0 {
		t.Errorf("found in nothing: %+v", h)
	}
	if err := r.add(stored{id: all[0].Conversation, text: []byte("a needle")}); err != nil {
		t.Fatal(err)
	}
	r.done = true
	first := search()
	if !first.has(0, 0, true) || len(first.conversations) != 1 {
		t.Errorf("in one conversation: %+v", first)
	}
	if again := search(); again != first {
		t.Error("all logs are searched again for the same text")
	}
	if err := r.text.file.Close(); err != nil {
		t.Fatal(err)
	}
	for _, close := range []func() error{r.text.file.Close, s.text.file.Close} {
		_ = close()
		_, err := s.query(t.Context(), r, page.Query{Text: "other"}, seeAll, seeEvery)
		if !errors.Is(err, os.ErrClosed) || !strings.HasPrefix(err.Error(), "search: ") {
			t.Error(err)
		}
		r = emptyRecords(t)
	}
	s.text.out = bufio.NewWriterSize(s.text.file, 16)
	if err := s.add(all[:1], span{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a row whose text cannot be kept: %v", err)
	}
}

// TestJudgedIsWhatTheSheetDraws: the quick reading finds the calls that a full reading finds,
// whatever texts stand in the lines.
func TestJudgedIsWhatTheSheetDraws(t *testing.T) {
	evil := `","source":"judge","name":"` + "\n" + `"source":"`
	var scores []score.Score
	want := map[string][]int{}
	for c := range 30 {
		id := fmt.Sprintf("c%d%s", c, map[bool]string{true: evil}[c%3 == 0])
		for call := range 3 {
			for _, source := range []score.Source{score.Deterministic, score.Judge, score.Judge} {
				if source == score.Judge && (c+call)%4 == 0 {
					continue
				}
				scores = append(scores, score.Score{ConversationID: id, CallIndex: &call, Tool: evil, Place: evil, Name: "n" + evil,
					Source: source, Judge: "j", Status: score.Unscored, Explanation: evil})
				if source == score.Judge && !slices.Contains(want[id], call) {
					want[id] = append(want[id], call)
				}
			}
		}
		scores = append(scores, score.Score{ConversationID: id, Name: "whole", Source: score.Judge, Status: score.Unscored})
	}
	path := filepath.Join(t.TempDir(), "scores.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, _ := score.NewWriter(f, "r")
	for _, s := range scores {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Flush()
	fmt.Fprintln(f, `{"source":"judge","name":"n","status":"unscored","call_index":7,"conversation_id":"another order"}`)
	fmt.Fprint(f, `{"conversation_id":"torn","call_index":0,"name":"n","sour`)
	want["another order"] = []int{7}
	_ = f.Close()
	j, err := readJudged(t.Context(), path, "", score.Judge)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]int{}
	for id, calls := range j.items {
		for _, c := range calls {
			got[id] = append(got[id], c.Call)
			if c.tool != evil && id != "another order" {
				t.Errorf("tool %q", c.tool)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestJudgedByRubric: the items of a rubric are what it judges: calls, results, turns or conversations, and of no other rubric.
func TestJudgedByRubric(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scores.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, _ := score.NewWriter(f, "r")
	one := 1
	for _, s := range []score.Score{
		{Name: "of calls", CallIndex: &one}, {Name: "of results", CallIndex: &one, Scope: score.ScopeResult},
		{Name: "of turns", Turn: 2, Scope: score.ScopeTurn}, {Name: "of all"}, {Name: "of all"},
	} {
		s.ConversationID, s.Source, s.Judge, s.Status = "c", score.Judge, "j", score.Unscored
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, `{"source":"judge","name":"of calls","status":"unscored","call_index":7,"conversation_id":"c"}`)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := readJudged(t.Context(), path+"x", "", score.Judge); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for rubric, want := range map[string]string{"": "[c:1 c:7]", "of calls": "[c:1 c:7]", "of results": "[c:1:result]", "of turns": "[c:turn2]", "of all": "[c]", "other": "[]"} {
		j, err := readJudged(t.Context(), path, rubric, score.Judge)
		if err != nil {
			t.Fatal(err)
		}
		var got []labels.Item
		for _, i := range j.items["c"] {
			got = append(got, i.Item)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %s", rubric, got, want)
		}
	}
}

// TestTrendSetsApart: figures of other logs or of another rubric are set apart from those above
// them, each leads to its run, and a run without a report is named.
func TestTrendSetsApart(t *testing.T) {
	rate := 0.5
	var runs []Run
	for i, of := range []struct{ inputs, rubric string }{{"log", "a"}, {"log", "a"}, {"another log", "a"}, {}, {"another log", "b"}} {
		r := Run{Dir: t.TempDir(), Name: fmt.Sprint("run ", i), Manifest: &directory.Manifest{Parts: map[string]string{"inputs": of.inputs}}}
		runs = append(runs, r)
		if of.inputs == "" {
			continue
		}
		var text bytes.Buffer
		if err := report.WriteJSON(&text, &report.Report{Schema: report.Schema, Headline: report.Headline{Rates: []report.HeadlineRate{
			{Kind: report.RawRateKind, Judge: "j", Name: of.rubric, Level: report.CallLevel, Rate: report.Estimate{Value: &rate}, N: 3}}}}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.Dir, directory.ReportFile), text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := trend(runs)
	if len(d.Sections) != 2 || d.Sections[0].Name != "Pass rate of calls by j, not corrected for its mistakes" {
		t.Fatalf("%+v", d.Sections)
	}
	series, list := d.Sections[0].Parts[0].(*words.Table), d.Sections[1].Parts[0].(*words.Table)
	if d.Sections[1].Name != "Runs" || !slices.Equal(series.Heads, []string{"run", "began", "0 to 100 %", "value", "n"}) ||
		!slices.Equal(list.Heads, []string{"run", "began", ""}) {
		t.Errorf("%q, %q", series.Heads, list.Heads)
	}
	if cells := series.Rows[0].Cells; cells[2].Bar.Class != "dot" || cells[2].Bar.Value != 0.5 || cells[3].String() != "50.0 %" {
		t.Errorf("%+v", cells)
	}
	var got []string
	for _, s := range d.Sections {
		for _, row := range s.Parts[0].(*words.Table).Rows {
			if row.Group != "" {
				got = append(got, "apart")
				continue
			}
			last := row.Cells[len(row.Cells)-1].Text
			got = append(got, row.Cells[0].Link+" "+strings.ReplaceAll(last, runs[3].Dir, "DIR"))
		}
	}
	want := []string{"/0/ 3", "/1/ 3", "apart", "/2/ 3", "apart", "/4/ 3",
		"/0/ ", "/1/ ", "/2/ ", "/3/ it has no report yet: judge run --resume DIR finishes it", "/4/ "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestSpoolSearch finds parts in their order, whatever their sizes.
func TestSpoolSearch(t *testing.T) {
	s, err := newSpool()
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	var parts []span
	var want []int
	for i := range 500 {
		text := strings.Repeat("x", i*i%7000)
		if i%7 == 0 {
			text += "needle" + text
			want = append(want, i)
		}
		at, err := s.add([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, at)
	}
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	var got []int
	if err := s.scan(t.Context(), len(parts), func(i int) span { return parts[i] }, "needle", func(i int) { got = append(got, i) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var some []int // of every fifth part
	if err := s.scan(t.Context(), len(parts)/5, func(i int) span { return parts[5*i] }, "needle", func(i int) { some = append(some, 5*i) }); err != nil {
		t.Fatal(err)
	}
	want = slices.DeleteFunc(want, func(i int) bool { return i%5 != 0 })
	if diff := cmp.Diff(want, some); diff != "" {
		t.Error(diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.scan(ctx, len(parts), func(i int) span { return parts[i] }, "needle", func(int) {}); err == nil {
		t.Error("a search that nobody waits for goes on")
	}
}

// seeEvery leaves no conversation out.
func seeEvery(string) bool { return true }
