package run

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// textLog returns a log in memory that reports how far it was read, by any goroutine.
func textLog(name, text string, read *atomic.Int64) input.Log {
	return input.Log{Name: name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.TeeReader(strings.NewReader(text), count{read})), nil
	}}
}

type count struct{ n *atomic.Int64 }

func (c count) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// TestReadable: Resolve says once, while it still reads, that the logs can be read; and says nothing
// if something may keep the run from its endpoints.
func TestReadable(t *testing.T) {
	const call = `{"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"k","type":"function",` +
		`"function":{"name":"f","arguments":"{}"}}]}]}` + "\n"
	const none = `{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}` + "\n"
	long := strings.Repeat(call, 12_000)
	for _, tt := range []struct {
		name string
		logs []string
		gate bool
		want int
	}{
		{"a log", []string{long}, false, 1},
		{"a call comes late", []string{none + long}, false, 1},
		{"two logs", []string{call, long}, false, 1},
		{"a short one", []string{call}, false, 0},
		{"the last log cannot be read", []string{long, "no log\n"}, false, 0},
		{"no calls", []string{strings.Repeat(none, 200)}, false, 0},
		{"calls that name no tool", []string{strings.ReplaceAll(long, `"name":"f",`, "")}, false, 0},
		{"gates, which may ask for what is not there", []string{long}, true, 0},
	} {
		var read atomic.Int64
		called, size := 0, 0
		p := plan(t, "http://127.0.0.1:1/v1")
		for _, text := range tt.logs {
			size += len(text)
			p.Logs = append(p.Logs, textLog(string(rune('a'+len(p.Logs)))+".jsonl", text, &read))
		}
		if tt.gate {
			p.Gates = []measure.Gate{{Score: "overall_call_correctness", MinPassRate: new(0.5)}}
		}
		p.Readable = func() {
			if called++; read.Load() > int64(size/2) && size > 1<<20 {
				t.Errorf("%s: called after %d of %d bytes", tt.name, read.Load(), size)
			}
		}
		_, err := Resolve(t.Context(), p.Task, "")
		if called != tt.want || tt.want > 0 && err != nil {
			t.Errorf("%s: called %d times, %v", tt.name, called, err)
		}
	}
}

// TestResolveFails: mistakes in a task are found before anything is sent, and logs that hold nothing.
func TestResolveFails(t *testing.T) {
	log := plantLine("a", `{"id":1}`, "one", "")
	for name, tt := range map[string]struct {
		edit func(*Task)
		task bool
		want string
	}{
		"scorer": {func(p *Task) { p.Scorers = []deterministic.Config{{Type: "schema_chek"}} }, true,
			`scorers[0].type: scorer: "schema_chek" is unknown; did you mean schema_check?`},
		"threshold": {func(p *Task) { p.Report.Thresholds = []report.Threshold{{Name: "schema_check", Low: 2}} }, true,
			"threshold schema_check=2: the scale of the scorer is 0..1; a band beyond it decides nothing"},
		"judge": {func(p *Task) { p.Judges[0].Config.Model = "" }, true, "judge: set a model"},
		"panel": {func(p *Task) { p.Panels = []judges.Panel{{Name: "p", Members: []string{"fixed", "x"}}} }, true,
			`run: panel p: no judge has the name "x"`},
		"weights": {func(p *Task) {
			p.Panels = []judges.Panel{{Name: "p", Members: []string{"fixed"}, Rule: judges.Weighted}}
			p.Measured = []MeasuredPanel{{Panel: "q", File: "d.json"}, {Panel: "p", File: "c.json", Calibration: &report.Calibration{}}}
		}, true, "panel p: weights from c.json: it has no balanced accuracy of fixed on function_intent_alignment; label its " +
			"calls and calibrate again, or take it out of the panel"},
		"gate": {func(p *Task) { p.Gates = []measure.Gate{{Score: "huma", MinPassRate: new(0.5)}} }, true,
			`gate on huma: no rubric, scorer or label of this run has the name`},
		"log": {func(p *Task) { p.Logs = []input.Log{textLog("l.jsonl", "", new(atomic.Int64))} }, false,
			"nothing to judge or score in l.jsonl: the log is empty"},
	} {
		p := plantTask(t, log)
		tt.edit(&p)
		s, err := Resolve(t.Context(), p, "")
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || errors.As(err, new(*TaskError)) != tt.task ||
			errors.As(err, new(*NothingError)) == tt.task {
			t.Errorf("%s: %v, %T %v", name, s, err, err)
		}
	}
}

// calledLog has n conversations, c0 and so on, with one call more each.
func calledLog(n int) input.Log {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"c%d","messages":[{"role":"user","content":"a"}`, i)
		for k := range i + 1 {
			fmt.Fprintf(&b, `,{"role":"assistant","tool_calls":[{"id":"k%d","type":"function","function":{"name":"f",`+
				`"arguments":"{}"}}]}`, k)
		}
		b.WriteString("]}\n")
	}
	return textLog("called.jsonl", b.String(), new(atomic.Int64))
}

// TestSelection: a run has all conversations, the first ones, a sample in log order, the first of a sample, or a shard.
func TestSelection(t *testing.T) {
	of := func(limit, sample int, seed int64, shard input.Shard) (*Spec, string) {
		p := plan(t, "http://127.0.0.1:1/v1", calledLog(9))
		p.Limit, p.Sample, p.Seed, p.Shard, p.Rubrics = limit, sample, seed, shard, p.Rubrics[:1]
		s, err := Resolve(t.Context(), p.Task, "")
		if err != nil {
			t.Fatal(err)
		}
		ids, calls := "", 0
		for c, err := range s.source(nil).Conversations(t.Context(), &input.Reading{}) {
			if err != nil {
				t.Fatal(err)
			}
			ids += c.ID[1:]
			calls += len(c.Calls)
		}
		if e := s.estimate; e.Conversations != len(ids) || e.Calls != calls || e.Judgements != calls || e.Requests != calls ||
			s.byRubric[0] != calls || !s.whole() {
			t.Errorf("limit %d, sample %d: %s with %d calls, %+v", limit, sample, ids, calls, e)
		}
		return s, ids
	}
	if s, ids := of(0, 0, 7, input.Shard{}); ids != "012345678" || s.picked != nil {
		t.Errorf("all: %s, %v", ids, s.picked)
	}
	if _, ids := of(3, 0, 7, input.Shard{}); ids != "012" {
		t.Errorf("the first three: %s", ids)
	}
	if _, ids := of(20, 0, 7, input.Shard{}); ids != "012345678" {
		t.Errorf("more than there are: %s", ids)
	}
	s, four := of(0, 4, 7, input.Shard{})
	if len(four) != 4 || !slices.IsSorted([]byte(four)) || len(s.picked) != 4 {
		t.Errorf("a sample of four: %s, %v", four, s.picked)
	}
	if _, ids := of(0, 4, 7, input.Shard{}); ids != four {
		t.Errorf("the same sample: %s, %s", four, ids)
	}
	if _, ids := of(0, 4, 8, input.Shard{}); ids == four {
		t.Errorf("the sample of another seed: %s", ids)
	}
	if _, ids := of(3, 4, 7, input.Shard{}); ids != four[:3] {
		t.Errorf("the first three of a sample: %s, %s", four, ids)
	}
	if _, ids := of(0, 20, 7, input.Shard{}); ids != "012345678" {
		t.Errorf("a sample of more than there are: %s", ids)
	}
	_, even := of(0, 0, 7, input.Shard{Index: 0, Of: 2})
	_, odd := of(0, 0, 7, input.Shard{Index: 1, Of: 2})
	if both := []byte(even + odd); len(even) == 0 || len(odd) == 0 {
		t.Errorf("shards: %s, %s", even, odd)
	} else if slices.Sort(both); string(both) != "012345678" {
		t.Errorf("shards: %s, %s", even, odd)
	}
}

// TestEstimateOfATeam: judges ask about every item by every rubric that they can use, a judge of samples several times, a
// judge that asks together once for all, one that only a cascade asks perhaps, and a retest as the planted log requests.
func TestEstimateOfATeam(t *testing.T) {
	const plain = `{"id":"%s","messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"k",` +
		`"type":"function","function":{"name":"f","arguments":"{}"}}]}]%s}` + "\n"
	log := fmt.Sprintf(plain, "a", "") + fmt.Sprintf(plain, "b", `,"planted":{"conversation":"x","call":0,"kind":"mutant"}`)
	own, err := rubrics.Parse("name: asked_first\nquestion: q?\nanswer: yes/no\npass: yes\n")
	if err != nil {
		t.Fatal(err)
	}
	judge := func(name string, edit func(*instrument.Judge)) instrument.Judge {
		j := instrument.Judge{Config: judges.Config{Model: name, Name: name}}
		if edit != nil {
			edit(&j)
		}
		return j
	}
	p := plan(t, "", textLog("l.jsonl", log, new(atomic.Int64)))
	p.Rubrics = append(p.Rubrics[:1:1], own)
	for name, tt := range map[string]struct {
		list           []instrument.Judge
		cascades       []instrument.Cascade
		judgements     int
		requests, late int
		alone          int
	}{
		"none": {},
		"one":  {list: []instrument.Judge{judge("a", nil)}, judgements: 4, requests: 4},
		"samples": {list: []instrument.Judge{judge("a", func(j *instrument.Judge) {
			j.Config.Method, j.Config.Samples = judges.SelfConsistency, 3
		})}, judgements: 4, requests: 12},
		"together": {list: []instrument.Judge{judge("a", func(j *instrument.Judge) { j.Config.Prompt.Layout = judges.Together })},
			judgements: 4, requests: 2, alone: 4},
		"together, beside another": {list: []instrument.Judge{judge("b", nil), judge("a",
			func(j *instrument.Judge) { j.Config.Prompt.Layout = judges.Together })}, judgements: 8, requests: 6, alone: 8},
		"the baseline": {list: []instrument.Judge{judge(baseline.Model, nil)}, judgements: 4, requests: 2},
		"a retest": {list: []instrument.Judge{judge("a", nil), judge("a again", func(j *instrument.Judge) { j.RetestOf = "a" })},
			judgements: 6, requests: 6},
		"a cascade": {list: []instrument.Judge{judge("a", nil), judge("b", nil)}, judgements: 4, requests: 4, late: 4,
			cascades: []instrument.Cascade{{Cascade: judges.Cascade{Name: "c", Tiers: []string{"a", "b"}}}}},
	} {
		p.Judges, p.Cascades = tt.list, tt.cascades
		e, err := estimateOf(t.Context(), p.Task)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		alone := 0
		if e.Alone != nil {
			alone = e.Alone.Requests
		}
		if e.Conversations != 2 || e.Calls != 2 || e.Judgements != tt.judgements || e.Requests != tt.requests ||
			e.Escalated != tt.late || alone != tt.alone {
			t.Errorf("%s: %+v, %d alone", name, e, alone)
		}
	}
}

// TestSizesOfPrompts: the largest sizes are kept for each judge, once for judges with the same prompts.
func TestSizesOfPrompts(t *testing.T) {
	var list []judges.Size
	for _, tt := range []struct {
		add  judges.Size
		want []judges.Size
	}{
		{judges.Size{ASCII: 2, Foreign: 2}, []judges.Size{{ASCII: 2, Foreign: 2}}},
		{judges.Size{ASCII: 2, Foreign: 2}, []judges.Size{{ASCII: 2, Foreign: 2}}},
		{judges.Size{ASCII: 1, Foreign: 2}, []judges.Size{{ASCII: 2, Foreign: 2}}},
		{judges.Size{ASCII: 3, Foreign: 1}, []judges.Size{{ASCII: 2, Foreign: 2}, {ASCII: 3, Foreign: 1}}},
		{judges.Size{ASCII: 1, Foreign: 3}, []judges.Size{{ASCII: 2, Foreign: 2}, {ASCII: 3, Foreign: 1}, {ASCII: 1, Foreign: 3}}},
		{judges.Size{ASCII: 3, Foreign: 2}, []judges.Size{{ASCII: 1, Foreign: 3}, {ASCII: 3, Foreign: 2}}},
	} {
		if list = keepLargest(list, tt.add); !cmp.Equal(tt.want, list) {
			t.Errorf("with %+v: %+v, want %+v", tt.add, list, tt.want)
		}
	}
	p := plan(t, "http://127.0.0.1:1/v1", calledLog(2))
	p.Rubrics = p.Rubrics[:1]
	p.Judges = append(p.Judges, p.Judges[0], p.Judges[0])
	p.Judges[1].Config.Name, p.Judges[2].Config.Name = "same", "bare"
	p.Judges[2].Config.Prompt.MaxExamples = -1
	s, err := Resolve(t.Context(), p.Task, "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.largest {
		if len(s.largest[i]) == 0 {
			t.Errorf("judge %d has no sizes", i)
		}
	}
	if &s.largest[0][0] != &s.largest[1][0] || &s.largest[0][0] == &s.largest[2][0] {
		t.Errorf("%+v", s.largest)
	}
}

// TestNotesOfASpec: the user is told which rubrics ask about nothing, and which checks a rubric's language turns off. Of a
// part of a log nothing is said that the rest may disprove.
func TestNotesOfASpec(t *testing.T) {
	rubric := func(more string) *rubrics.Rubric {
		r, err := rubrics.Parse("question: q?\nanswer: yes/no\npass: yes\n" + more)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	list := []*rubrics.Rubric{rubric("name: plain"), rubric("name: some\nwhen: tool = f"),
		rubric("name: as_expected\nsees: expected"), rubric("name: german\nlanguage: de")}
	const when = "rubric some: its condition (when: tool = f) holds for no call of this run\n"
	const sees = "rubric as_expected: it sees what is expected, and no conversation of this run says which calls or answer " +
		"that is\n"
	const language = "rubric german: explanations are in de, so the check that reads English (whether the explanation fits " +
		"the score) is off\n"
	for name, tt := range map[string]struct {
		byRubric []int
		share    float64
		judged   bool
		want     string
	}{
		"asked about calls": {[]int{0, 1, 1, 0}, 1, true, language + "unknown\n"},
		"about none":        {[]int{9, 0, 0, 0}, 1, true, when + sees + language + "unknown\n"},
		"of a part":         {[]int{9, 0, 0, 0}, 0.5, true, language + "unknown\n"},
		"without a judge":   {[]int{9, 0, 0, 0}, 1, false, "unknown\n"},
	} {
		s := &Spec{byRubric: tt.byRubric, share: tt.share, unknown: []string{"unknown"}}
		if s.Rubrics = list; tt.judged {
			s.Judges = make([]instrument.Judge, 1)
		}
		got := ""
		s.note(&Observer{Note: func(line string) { got += line + "\n" }})
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, tt.want)
		}
	}
}

// TestResumedLog: of a log that has grown, a resumed run covers what it held when the run began; of the log of a series it
// covers everything.
func TestResumedLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	one, two := plantLine("a", `{"id":1}`, "one", ""), plantLine("b", `{"id":2}`, "two", "")
	if _, err := executeSetup(t.Context(), plan(t, "", textLog("l.jsonl", one, new(atomic.Int64))), dir, false,
		Observer{}); err != nil {
		t.Fatal(err)
	}
	for series, want := range map[string]int{"": 1, "name": 2} {
		p := plan(t, "", textLog("l.jsonl", one+two, new(atomic.Int64)))
		p.Series = series
		s, err := Resolve(t.Context(), p.Task, dir)
		if err != nil {
			t.Fatal(err)
		}
		if s.estimate.Conversations != want || *s.Logs[0].Bytes != int64(len(one)*want) || p.Logs[0].Bytes != nil {
			t.Errorf("series %q: %+v, %d bytes", series, s.estimate, *s.Logs[0].Bytes)
		}
	}
}
