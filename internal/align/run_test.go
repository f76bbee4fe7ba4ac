package align

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

var update = flag.Bool("update", false, "write testdata anew")

// The codes of calls: right, right and failed by the judge, wrong, and wrong in a way that the judge finds only with
// blindRule.
const (
	right      = "R"
	falseAlarm = "Q"
	wrong      = "W"
	blindSpot  = "B"
	blindRule  = "A call whose code is B is wrong."
)

// scripted is a judge that fails what fails says; nil is the judge that a rule about the blind spot helps.
type scripted struct {
	log      map[string]*transcript.Conversation
	fails    func(r *rubrics.Rubric, id, code string) (fails, usable bool)
	known    map[string]bool // what was judged before: it costs nothing again
	requests int
	err      error
	// failAt is the judging, from 1, that fails with err; 0 means every one. judged counts them.
	failAt, judged int
	asked          []judges.Question
	askErr         error
	rules          string // the answer to a question; "" means two rules
}

func (s *scripted) Conversation(id string) *transcript.Conversation { return s.log[id] }

func (s *scripted) Requests() int { return s.requests }

func (s *scripted) Judge(_ context.Context, r *rubrics.Rubric, items []run.BenchItem) ([]judges.Result, error) {
	out := make([]judges.Result, len(items))
	for k, i := range items {
		code := s.log[i.Conversation].Calls[i.Target.Call].Arguments.Field("code").Text()
		fails := code == wrong || code == falseAlarm || code == blindSpot && slices.Contains(r.Guidelines, blindRule)
		usable := true
		if s.fails != nil {
			fails, usable = s.fails(r, i.Conversation, code)
		}
		out[k] = judges.Result{Verdict: judges.Pass, Explanation: "I looked at " + i.Conversation}
		switch {
		case !usable:
			out[k].Verdict = "error"
		case fails:
			out[k].Verdict = judges.Fail
		}
		if key := r.SHA + i.Conversation; !s.known[key] {
			s.known[key] = true
			s.requests++
		}
	}
	if s.judged++; s.failAt > 0 && s.judged != s.failAt {
		return out, nil
	}
	return out, s.err
}

func (s *scripted) Ask(_ context.Context, q judges.Question) (*value.Value, error) {
	s.requests++
	s.asked = append(s.asked, q)
	answer, err := value.ParseString(cmp.Or(s.rules, `{"guidelines":[{"rule":"`+blindRule+`","from":[1,3]},`+
		`{"rule":"Look twice at long orders.","from":[2]}]}`))
	return &answer, errors.Join(err, s.askErr)
}

// newScripted returns n labelled calls of two tools, every fourth with a note, and a judge of them. Of ten, five are
// right, one is a false alarm, two are wrong and two are blind spots.
func newScripted(n int) (items []Item, s *scripted) {
	s = &scripted{log: map[string]*transcript.Conversation{}, known: map[string]bool{}}
	for i := range n {
		code := string("RWRBRQRWRB"[i%10])
		id, tool := fmt.Sprintf("c%02d", i), []string{"ship", "refund"}[i/2%2]
		args := value.Pairs("order", fmt.Sprintf("K-%02d", i), "code", code)
		s.log[id] = &transcript.Conversation{
			ID:    id,
			Tools: []transcript.Tool{{Name: "ship", Description: "Ships it.", Parameters: value.Pairs("type", "object")}},
			Messages: []transcript.Message{
				{Role: transcript.User, Content: "please do job " + id, Result: -1},
				{Role: transcript.Assistant, Content: "I do.", Calls: []int{0}, Result: -1},
				{Role: transcript.ToolRole, Content: "done", Result: 0},
			},
			Calls: []transcript.Call{{ID: "a", Name: tool, Arguments: args, Message: 1, Result: 2}},
		}
		item := Item{Conversation: id, Task: "t" + id, Pass: code == right || code == falseAlarm}
		if i%4 == 1 {
			item.Note = "noted " + id
		}
		items = append(items, item)
	}
	return items, s
}

func alignRubric(t *testing.T) *rubrics.Rubric {
	t.Helper()
	r, err := rubrics.Parse("name: fine\nquestion: Is this call right?\nanswer: yes/no\npass: yes\n")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// alignedBy runs an alignment of two rounds, dated by a fixed day.
func alignedBy(t *testing.T, items []Item, s *scripted, cfg Config) (*Aligned, error) {
	t.Helper()
	cfg.Alpha, cfg.Now = 0.05, time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	if cfg.Used == "" {
		cfg.Used = filepath.Join(t.TempDir(), "labels.used.jsonl")
	}
	if cfg.Rounds == 0 {
		cfg.Rounds = 2
	}
	if cfg.Target == "" {
		cfg.Target = report.YoudenTarget
	}
	out := &report.Alignment{ID: "id1", RunID: "run1", Judge: "m", With: "w"}
	return Run(t.Context(), items, alignRubric(t), s, out, cfg)
}

// marks are the marks of conversations in a rubric, which say nothing to a reader of the golden file.
var marks = regexp.MustCompile(`(?:[0-9a-f]{8} )+[0-9a-f]{8}`)

// lines writes a report with a line for each member, and one for each step.
func lines(t *testing.T, r *report.Alignment) string {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	v, err := value.ParseString(string(data))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for key, member := range v.Members() {
		text := strings.ReplaceAll(member.JSON(), `{"round"`, "\n  {\"round\"")
		fmt.Fprintf(&out, "%s: %s\n", key, text)
	}
	return out.String()
}

// TestRun compares what comes of alignments: report, rubric and diff.
func TestRun(t *testing.T) {
	for name, c := range map[string]struct {
		labels int
		fails  func(r *rubrics.Rubric, id, code string) (fails, usable bool)
	}{
		"rules": {60, nil},
		// Four examples show what is wrong; a rule changes nothing. Some answers cannot be read.
		"examples": {210, func(r *rubrics.Rubric, id, code string) (fails, usable bool) {
			return code == wrong || code == blindSpot && len(r.Examples) >= 4, id != "c110"
		}},
		"worse where it counts": {60, func(r *rubrics.Rubric, _, code string) (fails, usable bool) {
			return code == wrong, len(r.Guidelines) == 0
		}},
	} {
		t.Run(name, func(t *testing.T) {
			items, s := newScripted(c.labels)
			s.fails = c.fails
			a, err := alignedBy(t, items, s, Config{})
			if err != nil {
				t.Fatal(err)
			}
			got := marks.ReplaceAllStringFunc(lines(t, a.Report)+"\n"+string(a.Rubric)+"\n"+string(a.Diff), func(list string) string {
				return fmt.Sprintf("%d marks", strings.Count(list, " ")+1)
			})
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if d := gocmp.Diff(string(want), got); err != nil || d != "" {
				t.Error(err, d)
			}
		})
	}
}

// TestRunStops: what ends an alignment early, and what it says then.
func TestRunStops(t *testing.T) {
	items, s := newScripted(60)
	var small *BudgetError
	if _, err := alignedBy(t, items, s, Config{Budget: 119}); !errors.As(err, &small) || small.Least != 120 || s.requests > 0 {
		t.Errorf("a budget that does not pay for the test: %v after %d requests", err, s.requests)
	}
	if got := small.Error(); got != "a budget of 119 requests is too small: the labels and the test alone take 120" {
		t.Error(got)
	}
	many, _ := newScripted(210) // 84 of them test both rubrics
	if _, err := alignedBy(t, many, s, Config{Budget: 377}); !errors.As(err, &small) || small.Least != 210+2*84 {
		t.Errorf("a budget that does not pay for both rubrics: %v", err)
	}
	s.err = errors.New("away")
	if _, err := alignedBy(t, items, s, Config{}); !errors.Is(err, s.err) {
		t.Errorf("the judge is away: %v", err)
	}
	// 300 requests make a rubric, and leave none for those of the folds, which alone can be tested.
	for budget, want := range map[int]string{150: words.NothingToTest, 2000: "",
		300: fmt.Sprintf(words.NoAlignInterval, "all values are the same")} {
		_, s = newScripted(60)
		a, err := alignedBy(t, items, s, Config{Budget: budget})
		if err != nil || s.requests > budget || a.Report.Why != want || a.Report.Proven != (want == "") {
			t.Errorf("a budget of %d: %d requests, proven %v, %q: %v", budget, s.requests, a.Report.Proven, a.Report.Why, err)
		}
	}
	never := func(_ *rubrics.Rubric, _, code string) (fails, usable bool) { return code == wrong, true }
	_, s = newScripted(60)
	s.fails = never
	a, err := alignedBy(t, items, s, Config{})
	if err != nil || a.Report.Why != words.NothingToTest || a.Report.Change != nil || *a.Report.Learned.Youden.Value != 0 {
		t.Errorf("a judge that never changes: %+v: %v", a.Report, err)
	}
}

// TestRunFails: an alignment ends with the error of the judging that fails, whichever it is, and of a question.
func TestRunFails(t *testing.T) {
	away := errors.New("away")
	for n, steps := range map[int]int{60: 7, 210: 1} {
		items, s := newScripted(n)
		if _, err := alignedBy(t, items, s, Config{}); err != nil {
			t.Fatal(err)
		}
		for failAt := 1; failAt <= s.judged; failAt += steps {
			_, failing := newScripted(n)
			failing.err, failing.failAt = away, failAt
			if a, err := alignedBy(t, items, failing, Config{}); !errors.Is(err, away) || a != nil || failing.judged != failAt {
				t.Errorf("judging %d of %d fails: %v after %d", failAt, s.judged, err, failing.judged)
			}
		}
		_, mute := newScripted(n)
		mute.askErr = away
		if _, err := alignedBy(t, items, mute, Config{}); !errors.Is(err, away) {
			t.Errorf("a question fails: %v", err)
		}
	}
	// What is measured at the end, on the labels that taught, may fail too.
	items, s := newScripted(60)
	never := func(_ *rubrics.Rubric, _, code string) (fails, usable bool) { return code == wrong, true }
	s.fails = never
	if _, err := alignedBy(t, items, s, Config{}); err != nil {
		t.Fatal(err)
	}
	for _, last := range []int{0, 1} {
		_, failing := newScripted(60)
		failing.fails, failing.err, failing.failAt = never, away, s.judged-last
		if _, err := alignedBy(t, items, failing, Config{}); !errors.Is(err, away) {
			t.Errorf("judging %d of %d fails: %v", failing.failAt, s.judged, err)
		}
	}
}

// TestWhatIsAsked: a proposal is asked for with twelve disagreements at most, missed failures and false alarms in turn;
// without a rule in the answer only examples are tried, and with other fields in the answers no examples.
func TestWhatIsAsked(t *testing.T) {
	items, s := newScripted(210)
	s.rules = `{"guidelines":[]}`
	a, err := alignedBy(t, items, s, Config{})
	if err != nil || len(s.asked) == 0 {
		t.Fatal(err)
	}
	said := ""
	for _, r := range s.asked[0].Records {
		said += " " + r.Field("people").Text()
	}
	if want := strings.Repeat(" wrong right", 6); said != want || s.asked[0].Key != "align whole round 1" {
		t.Errorf("%s: asked about%s, want%s", s.asked[0].Key, said, want)
	}
	var names []string
	for _, step := range a.Report.Steps {
		names = append(names, step.Name)
	}
	if d := gocmp.Diff([]string{"2 examples", "4 examples", "4 nearest examples", "2 examples, reversed"}, names); d != "" {
		t.Error(d)
	}
	other, err := rubrics.Parse("name: fine\nquestion: Is this call right?\nanswer: yes/no\npass: yes\nextra: {why: in a word}\n")
	if err != nil {
		t.Fatal(err)
	}
	items, s = newScripted(60)
	cfg := Config{Alpha: 0.05, Rounds: 1, Target: report.YoudenTarget, Used: filepath.Join(t.TempDir(), "used.jsonl")}
	if a, err = Run(t.Context(), items, other, s, &report.Alignment{ID: "id"}, cfg); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, q := range s.asked {
		keys = append(keys, q.Key)
	}
	if want := "align whole round 1, align fold 1 round 1, align fold 2 round 1, align fold 3 round 1, " +
		"align fold 4 round 1, align fold 5 round 1"; strings.Join(keys, ", ") != want {
		t.Errorf("asked as %q", keys)
	}
	const note = "no examples were tried: its answers have the field why, which labels say nothing of"
	if len(a.Report.Notes) != 1 || !strings.HasSuffix(fmt.Sprint(a.Report.Notes[0]), note+"}") || len(a.Report.Steps) != 1 ||
		a.Report.Steps[0].Name != "2 guidelines" {
		t.Errorf("notes %+v, steps %+v", a.Report.Notes, a.Report.Steps)
	}
}

// TestRunSaysWhatWasSeen: held-out labels that another alignment looked at are counted, and how each label was used is
// written down.
func TestRunSaysWhatWasSeen(t *testing.T) {
	used := filepath.Join(t.TempDir(), "labels.used.jsonl")
	for n, want := range map[int]map[string]int{60: {labels.Both: 60}, 210: {labels.Tested: 84, labels.Learned: 126}} {
		items, s := newScripted(n)
		file := used + fmt.Sprint(n)
		if err := labels.AddUse(file, labels.Use{Align: "earlier", Rubric: "fine", Items: []labels.UsedFor{
			{ConversationID: items[0].Conversation, For: labels.Tested}, {ConversationID: "elsewhere", For: labels.Tested}}}); err != nil {
			t.Fatal(err)
		}
		s.fails = func(r *rubrics.Rubric, _, code string) (fails, usable bool) {
			return code == wrong || code == blindSpot && (slices.Contains(r.Guidelines, blindRule)), true
		}
		a, err := alignedBy(t, items, s, Config{Used: file})
		if err != nil {
			t.Fatal(err)
		}
		uses, err := labels.Uses(file)
		if err != nil || len(uses) != 2 || uses[1].Align != "id1" {
			t.Fatalf("%d labels: %d uses: %v", n, len(uses), err)
		}
		how, first := map[string]int{}, 0
		for _, i := range uses[1].Items {
			how[string(i.For)]++
			if i.ConversationID == items[0].Conversation && i.For != labels.Learned {
				first = 1
			}
		}
		if d := gocmp.Diff(want, how); d != "" || a.Report.Seen != first {
			t.Errorf("%d labels: seen %d times before, want %d; used %s", n, a.Report.Seen, first, d)
		}
		w := a.Width(1000)
		if crossed := n < crossBelow; crossed != (w.LabelsAfter == 0) || crossed == w.After.HasInterval() || !crossed && w.LabelsAfter != 84 {
			t.Errorf("%d labels: the rate of the new rubric comes from %d labels: %+v", n, w.LabelsAfter, w.After)
		}
		if near, far := w.After, a.Width(100_000).After; near.HasInterval() && !(*far.High-*far.Low < *near.High-*near.Low) {
			t.Errorf("more judged calls make the rate no better known: %+v, %+v", near, far)
		}
	}
}
