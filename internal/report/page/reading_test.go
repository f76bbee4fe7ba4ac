package page

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// judgement is a judge's score of a call, or of the conversation with -1; p passes, f fails, others have no verdict.
func judgement(name, judge string, call int, verdict byte) score.Score {
	s := score.Score{ConversationID: "c", Source: score.Judge, Name: name, Judge: judge, Status: score.Scored, Value: new(0.5),
		Passed: map[byte]*bool{'p': new(true), 'f': new(false)}[verdict]}
	if call >= 0 {
		s.CallIndex, s.Tool = &call, "pay"
	}
	return s
}

// reference is the score of a scorer or a label.
func reference(source score.Source, name string, call int, verdict byte) score.Score {
	s := judgement(name, "", call, verdict)
	s.Source = source
	return s
}

// itemsOf reads the items of scores.
func itemsOf(t *testing.T, rd *Reading, scores ...score.Score) (out []*Item) {
	t.Helper()
	for list, err := range rd.Items(func(yield func(score.Score, error) bool) {
		for _, s := range scores {
			if !yield(s, nil) {
				return
			}
		}
	}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, list...)
	}
	return out
}

// reportOf is a report in which a judge decides calls and conversations by an overall rubric, and may be contradicted
// by labels and scorers.
func reportOf(references ...report.Instrument) *report.Report {
	r := &report.Report{Run: report.Run{Judges: []report.Judge{{Name: "j", Asked: true}}, Rubrics: []report.Rubric{{Name: "overall"}}}}
	add := func(in report.Instrument) {
		r.Scores = append(r.Scores, report.ScoreRow{Instrument: in, N: 9, Judged: 9, PassRate: report.Estimate{Value: new(0.5)}})
	}
	for _, level := range []string{report.CallLevel, report.ConversationLevel} {
		add(report.Instrument{Source: "judge", Name: "overall", Judge: "j", Level: level})
	}
	for _, in := range references {
		add(in)
	}
	return r
}

// TestPlacesOfItems: the whole conversation comes first, then turns, then each call before its result.
func TestPlacesOfItems(t *testing.T) {
	turn := func(n int) score.Score {
		s := judgement("ending", "j", -1, 'p')
		s.Turn, s.Scope = n, labels.Turn
		return s
	}
	result := judgement("after", "j", 0, 'p')
	result.Scope = labels.Result
	whole := judgement("goal", "j", -1, 'p')
	whole.Scope = "conversation"
	items := itemsOf(t, NewReading(reportOf()), judgement("overall", "j", 1, 'p'), result, turn(2), judgement("overall", "j", 0, 'p'),
		turn(1), whole)
	var got []string
	for _, i := range items {
		call := -1
		if i.Call != nil {
			call = *i.Call
		}
		got = append(got, fmt.Sprintf("%d: call %d, turn %d, scope %q, level %s, whole %v", i.Order, call, i.Turn, i.Scope,
			i.Level(), i.isWhole()))
	}
	want := []string{
		`0: call -1, turn 0, scope "", level conversation, whole true`, `1: call -1, turn 1, scope "turn", level turn, whole false`,
		`2: call -1, turn 2, scope "turn", level turn, whole false`, `3: call 0, turn 0, scope "", level call, whole false`,
		`4: call 0, turn 0, scope "result", level result, whole false`, `5: call 1, turn 0, scope "", level call, whole false`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for k, i := range items[1:] {
		if i.whole != items[0] {
			t.Errorf("item %d does not know its conversation", k+1)
		}
	}
	if calls := items[0].Calls; !slices.Equal(calls, []CallVerdict{{0, "pay", pass}, {1, "pay", pass}}) {
		t.Errorf("calls of the conversation: %+v", calls)
	}
}

// TestJudgeOfAConversation: the judge's own verdict, else that of its calls together: it fails if it fails one.
func TestJudgeOfAConversation(t *testing.T) {
	for calls, want := range map[string]string{"pp": "pass", "pf": "fail", "fp": "fail", "-p": "pass", "--": ""} {
		scores := []score.Score{reference(score.Label, "reward", -1, 'p')}
		for k := range calls {
			scores = append(scores, judgement("overall", "j", k, calls[k]))
		}
		if i := itemsOf(t, NewReading(reportOf()), scores...)[0]; i.JudgeSays != want || (i.Judge == "j") != (want != "") {
			t.Errorf("%s: %q by %q, want %q", calls, i.JudgeSays, i.Judge, want)
		}
		own := append(scores, judgement("overall", "j", -1, 'p'))
		if i := itemsOf(t, NewReading(reportOf()), own...)[0]; i.JudgeSays != pass {
			t.Errorf("%s: its own verdict is %q", calls, i.JudgeSays)
		}
	}
	many := []score.Score{reference(score.Label, "reward", -1, 'p')}
	for k := range 201 {
		many = append(many, judgement("overall", "j", k, 'p'))
	}
	if n := len(itemsOf(t, NewReading(reportOf()), many...)[0].Calls); n != 200 {
		t.Errorf("%d calls are listed, want 200", n)
	}
}

// TestReferenceOfAnItem: the strongest reference that decides an item and is evidence for what it says; scores that are
// no references say nothing.
func TestReferenceOfAnItem(t *testing.T) {
	human := report.Instrument{Source: "label", Name: "human", Level: report.CallLevel}
	other := report.Instrument{Source: "label", Name: "other", Level: report.CallLevel}
	r := reportOf(human, other)
	for name, tt := range map[string]struct {
		scores []score.Score
		want   string
	}{
		"the first":           {[]score.Score{reference(score.Label, "human", 0, 'p'), reference(score.Label, "other", 0, 'f')}, "human pass"},
		"in any order":        {[]score.Score{reference(score.Label, "other", 0, 'f'), reference(score.Label, "human", 0, 'p')}, "human pass"},
		"without a verdict":   {[]score.Score{reference(score.Label, "human", 0, '-'), reference(score.Label, "other", 0, 'f')}, "other fail"},
		"no reference":        {[]score.Score{reference(score.Label, "third", 0, 'f')}, " "},
		"of another level":    {[]score.Score{reference(score.Label, "human", -1, 'f'), judgement("overall", "j", 0, 'p')}, " "},
		"of its conversation": {[]score.Score{reference(score.Label, "human", -1, 'f')}, " "},
	} {
		items := itemsOf(t, NewReading(r), tt.scores...)
		if i := items[len(items)-1]; i.Reference+" "+i.ReferenceSays != tt.want {
			t.Errorf("%s: %s %s, want %s", name, i.Reference, i.ReferenceSays, tt.want)
		}
	}
}

// TestWeakReference: a reference whose pass is no evidence says only what is wrong; a scorer that leads is no judge.
func TestWeakReference(t *testing.T) {
	form := report.Instrument{Source: "deterministic", Name: "form", Level: report.CallLevel}
	r := reportOf(form)
	r.Run.Rubrics[0].CompareWith = []string{"form"}
	rd := NewReading(r)
	rd.evidence = func(report.Instrument) report.Evidence {
		return report.Evidence{Evidence: score.Evidence{Pass: score.Weak, Fail: score.Strong}}
	}
	for verdict, want := range map[byte]string{'p': " ", 'f': "form fail"} {
		i := itemsOf(t, rd, reference(score.Deterministic, "form", 0, verdict))[0]
		if got := i.Reference + " " + i.ReferenceSays; got != want {
			t.Errorf("%c: %q, want %q", verdict, got, want)
		}
	}
	rd = NewReading(reportOf())
	rd.leads[report.CallLevel] = form
	if i := itemsOf(t, rd, reference(score.Deterministic, "form", 0, 'f'))[0]; i.Verdict != fail || i.JudgeSays != "" {
		t.Errorf("a scorer leads: %q, the judge says %q", i.Verdict, i.JudgeSays)
	}
}

// TestRanksOfItems: an item has the first rank among the disagreements, with who contradicts whom there, and its rank
// among the fails.
func TestRanksOfItems(t *testing.T) {
	r := reportOf()
	opposed := func(call *int, judge string, passes bool) report.Opposed {
		return report.Opposed{CaseRef: report.CaseRef{ConversationID: "c", CallIndex: call}, Judge: judge, Passes: passes, Reference: "human"}
	}
	r.Disagreements.All = []report.Opposed{opposed(new(1), "k", false), opposed(nil, "j", true), opposed(new(1), "j", true)}
	r.Failing.Items = []report.FailingItem{{CaseRef: at("c")}, {CaseRef: report.CaseRef{ConversationID: "c", CallIndex: new(1)}}}
	rd := NewReading(r)
	var got []string
	for _, i := range itemsOf(t, rd, judgement("overall", "j", -1, 'p'), judgement("overall", "j", 0, 'f'), judgement("overall", "j", 1, 'p')) {
		got = append(got, fmt.Sprintf("%d %d: %s %s, %s %s", i.Failure, i.Disagreement, i.Judge, i.JudgeSays, i.Reference, i.ReferenceSays))
	}
	want := []string{"0 2: j pass, human fail", "1 0: j fail,  ", "2 1: k fail, human pass"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if n := rd.disagreements(); n != 2 {
		t.Errorf("%d disagreements, want 2", n)
	}
}

// TestGroupsOfFails: a failing item of the deciding instrument's level is in the group of its reason, or else in that
// of the instrument itself; scores for quality assurance and of other levels give no reason.
func TestGroupsOfFails(t *testing.T) {
	by := report.Instrument{Source: "judge", Name: "overall", Judge: "j", Level: report.CallLevel}
	because := func(s score.Score, why string) score.Score {
		s.Explanation = why
		return s
	}
	group := func(kind string) report.FailureGroup {
		i := Item{Verdict: fail, Call: new(0)}
		s := because(judgement("overall", "j", 0, 'f'), kind)
		r := reportOf()
		(&Reading{report: r, judge: "j", decided: func(s score.Score) score.Score { return s }}).put(&i, &s)
		return report.FailureGroup{ID: i.why.Signature.ID(), Name: kind}
	}
	first, second := group("first_rule (m): it is wrong."), group("second_rule (m): it is wrong.")
	r := reportOf()
	r.Failing.By, r.FailureGroups = by, []report.FailureGroup{first, second}
	qa := because(judgement("overall", "j", 0, 'f'), first.Name)
	qa.Purpose = "qa"
	result := because(judgement("overall", "j", 0, 'f'), second.Name)
	result.Scope = labels.Result
	for name, tt := range map[string]struct {
		scores []score.Score
		want   string
	}{
		"a call":                  {[]score.Score{because(judgement("overall", "j", 0, 'f'), first.Name)}, first.ID},
		"a call that passes":      {[]score.Score{because(judgement("overall", "j", 0, 'p'), first.Name)}, ""},
		"a conversation":          {[]score.Score{because(judgement("overall", "j", -1, 'f'), first.Name)}, ""},
		"another reason":          {[]score.Score{because(judgement("overall", "j", 0, 'f'), second.Name)}, second.ID},
		"a fail for other uses":   {[]score.Score{because(judgement("overall", "j", 0, 'f'), second.Name), qa}, second.ID},
		"a result that fails too": {[]score.Score{because(judgement("overall", "j", 0, 'f'), first.Name), result}, first.ID},
		"no listed group":         {[]score.Score{because(judgement("overall", "j", 0, 'f'), "third_rule (m): it is wrong.")}, ""},
	} {
		if i := itemsOf(t, NewReading(r), tt.scores...)[0]; i.Group != tt.want {
			t.Errorf("%s: group %q, want %q", name, i.Group, tt.want)
		}
	}
	// A conversation has a group if conversations decide, and only then.
	whole := because(judgement("overall", "j", -1, 'f'), first.Name)
	i := Item{Verdict: fail}
	(&Reading{report: r, judge: "j"}).put(&i, &whole)
	r.FailureGroups = []report.FailureGroup{{ID: i.why.Signature.ID()}}
	for level, want := range map[string]string{report.CallLevel: "", report.ConversationLevel: i.why.Signature.ID()} {
		r.Failing.By.Level = level
		if got := itemsOf(t, NewReading(r), whole)[0].Group; got != want {
			t.Errorf("%s decides: group %q, want %q", level, got, want)
		}
	}
}

// TestAnswersAndReasons: why an item has its verdict, what is answered without one, and the expected call.
func TestAnswersAndReasons(t *testing.T) {
	why := judgement("overall", "j", 0, 'f')
	why.Explanation = "It is\nwrong."
	failed := judgement("overall", "j", 0, '-')
	failed.Status, failed.Value, failed.Error = score.Error, nil, &score.Failure{Kind: "timeout", Message: "late"}
	topic, away := judgement("topic", "k", 0, '-'), judgement("topic", "k", 0, '-')
	topic.Category, topic.Explanation = "money", "It is about money."
	away.Status, away.Value, away.Explanation = score.NotApplicable, nil, "Nothing was asked."
	labelled, passing := reference(score.Label, "human", 0, '-'), judgement("topic", "k", 0, 'p')
	labelled.Category, passing.Category, passing.Explanation = "money", "money", "It is about money."
	paired, whole := reference(score.Deterministic, "match", 0, 'p'), reference(score.Deterministic, "match", -1, 'p')
	paired.Details, whole.Details = value.Pairs("expected_index", 0), value.Pairs("expected_index", 3)
	for name, tt := range map[string]struct {
		scores []score.Score
		want   string
	}{
		"a verdict":             {[]score.Score{why}, "fail, It is wrong., "},
		"a verdict and a topic": {[]score.Score{topic, why}, "fail, It is wrong., money"},
		"a topic alone":         {[]score.Score{topic}, ", It is about money., money"},
		"the first of two":      {[]score.Score{topic, away}, ", It is about money., money"},
		"not applicable":        {[]score.Score{away}, ", Nothing was asked., " + words.NotApplicable},
		"no answer":             {[]score.Score{failed}, ", timeout: late, "},
		"an expected call":      {[]score.Score{paired}, ", , , expected 0"},
		"of a conversation":     {[]score.Score{whole}, ", , "},
		"a label with a topic":  {[]score.Score{labelled}, ", , "},
		"a topic that passes":   {[]score.Score{passing}, ", , "},
	} {
		i := itemsOf(t, NewReading(reportOf()), tt.scores...)[0]
		got := fmt.Sprintf("%s, %s, %s", i.Verdict, i.Why, i.Answer)
		if i.Expected != nil {
			got += fmt.Sprint(", expected ", *i.Expected)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestItemsOfAStream: conversations one after the other, until the reader stops; an error comes last.
func TestItemsOfAStream(t *testing.T) {
	in := func(broken error) iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			for _, id := range []string{"a", "a", "b"} {
				s := judgement("overall", "j", 0, 'p')
				s.ConversationID = id
				if !yield(score.Score{}, &score.LineError{File: "f", Line: 1, Cause: errors.New("x")}) || !yield(s, nil) {
					return
				}
			}
			if broken != nil {
				yield(score.Score{}, broken)
			}
		}
	}
	for _, tt := range []struct {
		broken error
		most   int
		want   string
	}{
		{nil, 9, "a 2, b 1"}, {nil, 1, "a 2"}, {errors.New("disk gone"), 9, "a 2, read scores: disk gone"},
	} {
		var got []string
		for items, err := range NewReading(reportOf()).Items(in(tt.broken)) {
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			got = append(got, fmt.Sprint(items[0].Conversation, " ", len(items[0].Scores)))
			if len(got) == tt.most {
				break
			}
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%s, want %s", text, tt.want)
		}
	}
}

// TestJudgesWhoDiffer: two judges of an overall rubric, or of the only one, one of which passes.
func TestJudgesWhoDiffer(t *testing.T) {
	say := func(name, judge, verdict string) Score {
		return Score{Source: "judge", Name: name, Judge: judge, Verdict: verdict}
	}
	extra := say("overall", "k", fail)
	extra.extra = true
	for name, tt := range map[string]struct {
		scores []Score
		want   string
	}{
		"differ":           {[]Score{say("overall", "j", pass), say("overall", "k", fail)}, "true true"},
		"by an aspect":     {[]Score{say("tone", "j", pass), say("tone", "k", fail)}, "false true"},
		"both pass":        {[]Score{say("overall", "j", pass), say("overall", "k", pass)}, "false false"},
		"one has none":     {[]Score{say("overall", "j", fail), say("overall", "k", "")}, "false false"},
		"a retest":         {[]Score{say("overall", "j", pass), extra}, "false false"},
		"a judge, a label": {[]Score{say("overall", "j", pass), say("overall", "", fail)}, "false false"},
	} {
		i := Item{Scores: tt.scores}
		if got := fmt.Sprint(i.judgesDiffer(false), " ", i.judgesDiffer(true)); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
