package measure

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// columnsOf reads verdicts of gold and a judge: p, f, or - for none. Every n items are a cluster.
func columnsOf(gold, judge string, n int) columns {
	read := func(text string) (out []float64) {
		for _, r := range text {
			out = append(out, onlyIf(r != '-', asNumber(r == 'p')))
		}
		return out
	}
	c := columns{statistics: &statistics{Alpha: 0.05}, Gold: read(gold), Judge: read(judge)}
	for i := range c.Gold {
		c.Cluster = append(c.Cluster, i/n)
	}
	return c
}

func TestVerdicts(t *testing.T) {
	c := columnsOf("ppppffff-p", "pppfffffp-", 1)
	if diff := cmp.Diff(report.Confusion{BothPass: 3, JudgeOnlyFail: 1, BothFail: 4}, c.Counts()); diff != "" {
		t.Error(diff)
	}
	got := fmt.Sprintln(c.Share(bothAgree).Mean.Value, c.Share(failFound).Mean.Value, c.Share(passKept).Mean.Value, *c.VerdictKappa().Value)
	if want := "0.875 1 0.75 0.75"; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := c.Share(failFound).N; n != 4 {
		t.Errorf("%d items that gold fails, want 4", n)
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

// An error of a call is kept; a number that the data do not allow is none.
func TestErrorsAreKept(t *testing.T) {
	c := columnsOf("pp", "pp", 1)
	if e := c.MCC(); e.Defined() || e.Reason == "" || c.Err() != nil {
		t.Errorf("of one class: %v, %v", e, c.Err())
	}
	for name, of := range map[string]func(c columns){
		"kappa": func(c columns) { c.VerdictKappa() }, "correlation": func(c columns) { c.Correlation() },
		"numbers": func(c columns) { c.Continuous() }, "auc": func(c columns) { c.AUC() },
		"correlation within": func(c columns) { c.ICC([][]float64{c.Gold, c.Judge}, c.Cluster) },
		"spread":             func(c columns) { c.Spread(c.Gold, c.Cluster[:1]) },
		"consensus": func(c columns) {
			c.Consensus(&report.ConsensusRow{}, [][]float64{c.Gold, c.Judge}, c.Cluster, verdictScale)
		},
		"agreement by chance": func(c columns) {
			c.Gwet([][]float64{c.Gold, c.Judge}, nil, c.Cluster, verdictScale, raters.NoWeights)
		},
		"likeness": func(c columns) { c.Likeness([][]float64{c.Gold, c.Gold}, c.Judge, c.Cluster) },
		"ranking": func(c columns) {
			c.Rank(c.Gold, []rater{{Name: "a", Ratings: c.Gold}, {Name: "b", Ratings: c.Judge}}, c.Cluster)
		},
		"alpha": func(c columns) { c.Krippendorff([][]float64{c.Gold, c.Judge}, c.Cluster, "nominal") },
	} {
		c := columnsOf("pp", "pp", 1)
		c.Judge = c.Judge[:1]
		if of(c); c.Err() == nil {
			t.Errorf("%s: columns of different length are no error", name)
		}
	}
}

// Alpha is computed for up to 10,000 different values.
func TestAlphaOfManyValues(t *testing.T) {
	s := &statistics{Alpha: 0.05}
	column := make([]float64, 10_001)
	for i := range column {
		column[i] = float64(i)
	}
	if e := s.alpha([][]float64{column, column}, nil, "nominal"); e.Defined() || e.Reason != "too_many_values" {
		t.Errorf("of 10,001 values: %+v", e)
	}
}

// TestHumanMargin: a judge agrees with people as they do with each other if the interval of the difference ends above
// the margin; without an interval it is not known.
func TestHumanMargin(t *testing.T) {
	column := func(text string) columns { return columnsOf(text, text, 1) }
	for name, tt := range map[string]struct {
		a, b, judge string
		within      bool
		n           int
	}{
		"all the same":   {strings.Repeat("pf", 60), strings.Repeat("pf", 60), strings.Repeat("pf", 60), true, 120},
		"a worse judge":  {strings.Repeat("pf", 60), strings.Repeat("pf", 60), strings.Repeat("fp", 60), false, 120},
		"few":            {"pf", "pf", "pf", true, 2},
		"nothing common": {"p-", "-p", "pp", false, 0},
	} {
		s := &statistics{Alpha: 0.05}
		judge := column(tt.judge)
		like, n := s.Likeness([][]float64{column(tt.a).Gold, column(tt.b).Gold}, judge.Gold, judge.Cluster)
		if like.Within != tt.within || n != tt.n || s.Err() != nil {
			t.Errorf("%s: %+v on %d, %v", name, like, n, s.Err())
		}
	}
}

// TestCorrectionOfNoPValue: p-values that cannot be corrected give as many missing ones, and the error is kept.
func TestCorrectionOfNoPValue(t *testing.T) {
	s := &statistics{Alpha: 0.05}
	if got := s.Holm([]float64{0.5, 2, -1}); len(got) != 3 || got[0].Valid || s.Err() == nil {
		t.Errorf("%+v, %v", got, s.Err())
	}
}

// The labelled clusters of a judge that passes everything elsewhere are no random sample.
func TestCorrect(t *testing.T) {
	fair := columnsOf(strings.Repeat("pf", 40)+strings.Repeat("--", 40), strings.Repeat("pfpp", 40), 2).Correct()
	if fair.LabeledClusters != 40 || fair.unlikeRest("j", "") != "" || !fair.Corrected.HasInterval() {
		t.Errorf("%d clusters, %q, %v", fair.LabeledClusters, fair.unlikeRest("j", ""), fair.Corrected)
	}
	if naive, bias := *fair.Naive.Value, *fair.Bias.Value; naive != 0.75 || bias != 0.25 {
		t.Errorf("naive %v, bias %v, want 0.75 and 0.25", naive, bias)
	}
	picked := columnsOf(strings.Repeat("f", 40)+strings.Repeat("-", 40), strings.Repeat("fffp", 10)+strings.Repeat("pppf", 10), 2).Correct()
	if text := picked.unlikeRest("j", "human"); !strings.Contains(text, "j passes 25.0 % of what it judged in the conversations with human") {
		t.Errorf("got %q", text)
	}
}

func TestRank(t *testing.T) {
	p := map[string]float64{"same": math.NaN(), "worse": 0.01, "worst": 0.04}
	raters := []rater{{Name: "worst"}, {Name: "always", Constant: true}, {Name: "best"}, {Name: "same"}, {Name: "worse"}}
	place := map[string]float64{"best": 4, "same": 3, "worse": 2, "worst": 1}
	s := &statistics{Alpha: 0.05}
	got := s.RankBy(raters, func(r rater) report.RankedJudge {
		return report.RankedJudge{Youden: report.Estimate{Value: new(place[r.Name]), Low: new(-1.0), High: new(5.0)}}
	}, func(r, best rater) (interval.Difference, error) {
		d := interval.Difference{P: stat.Some(p[r.Name])}
		d.P.Valid = !math.IsNaN(p[r.Name])
		d.Value = stat.Some(place[r.Name] - place[best.Name])
		return d, s.Err()
	})
	var order []string
	for _, j := range got {
		order = append(order, j.Judge)
	}
	if diff := cmp.Diff([]string{"best", "same", "worse", "worst", "always"}, order); diff != "" {
		t.Fatal(diff)
	}
	if got[0].P != nil || got[0].Behind.Defined() || *got[2].Holm != 0.02 || *got[3].Holm != 0.04 || got[1].Holm != nil {
		t.Errorf("%+v", got)
	}
	if always := got[4]; always.Behind.Defined() || always.Youden.HasInterval() || *got[3].Behind.Value != -3 {
		t.Errorf("%+v", got)
	}
}

// The warnings name the verdict that is more frequent and how often it would be right.
func TestWordsOfVerdicts(t *testing.T) {
	read := ": read Youden's J, not the share of equal verdicts"
	for _, tt := range []struct {
		of   report.Confusion
		want []string
	}{
		{report.Confusion{BothPass: 20, JudgeOnlyFail: 20, BothFail: 15},
			[]string{"j agrees with g on 35 items, and a judge that always says pass on 40" + read}},
		{report.Confusion{BothFail: 20, JudgeOnlyPass: 20, BothPass: 15},
			[]string{"j agrees with g on 35 items, and a judge that always says fail on 40" + read}},
		{report.Confusion{BothPass: 20, JudgeOnlyPass: 20, BothFail: 100}, nil},
		{report.Confusion{BothFail: 20, JudgeOnlyFail: 20, BothPass: 100}, nil},
		{report.Confusion{BothFail: 20, JudgeOnlyFail: 20}, []string{"j gives every item the same verdict"}},
		{report.Confusion{BothPass: 95, JudgeOnlyPass: 1, BothFail: 9}, nil},
		{report.Confusion{BothPass: 95, BothFail: 9},
			[]string{"g fails only 9 of the items: the share of them that is found rests on these"}},
	} {
		row := report.AgreementRow{N: 40, Verdicts: 40, Judge: "j", Confusion: tt.of, Direction: report.BothDirection}
		row.Reference.Name = "g"
		var w warningList
		w.Numbers(&row)
		var got []string
		for _, one := range w {
			got = append(got, one.Text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.of, diff)
		}
	}
}

func TestWarnings(t *testing.T) {
	for want, c := range map[string]report.Confusion{
		"":                 {BothPass: 20, BothFail: 20},
		"one_class":        {BothPass: 20, JudgeOnlyFail: 2},
		"judge_one_class":  {BothPass: 20, JudgeOnlyPass: 10},
		"few_of_one_class": {BothPass: 20, BothFail: 3},
		"below_constant":   {BothPass: 20, JudgeOnlyFail: 20, BothFail: 15},
		"few_of_one_class below_constant ceiling": {BothPass: 80, JudgeOnlyFail: 15, BothFail: 1, JudgeOnlyPass: 1},
	} {
		var w warningList
		w.Numbers(&report.AgreementRow{N: 40, Verdicts: 40, Confusion: c, Direction: report.BothDirection})
		var codes []string
		for _, one := range w {
			codes = append(codes, one.Code)
		}
		if got := strings.Join(codes, " "); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}

// The rate to plan by is people's if enough of them labelled at this level, else the judge's own.
func TestRateToPlan(t *testing.T) {
	rate := func(judge, level string, labels int, v float64) report.HeadlineRate {
		return report.HeadlineRate{Judge: judge, Level: level, Labels: labels, Rate: report.Estimate{Value: &v}}
	}
	row := &report.ScoreRow{PassRate: report.Estimate{Value: new(0.6)}}
	row.Judge, row.Level, row.Name = "j", report.CallLevel, "overall"
	others := []report.HeadlineRate{
		rate("k", report.CallLevel, 100, 0.1), rate("", report.ConversationLevel, 100, 0.2),
		rate("", report.CallLevel, report.FewLabels-1, 0.3), {Judge: "j", Level: report.CallLevel},
	}
	own := rate("j", report.CallLevel, 0, 0.5)
	own.FurtherLabels = &truth.More{}
	for want, list := range map[float64][]report.HeadlineRate{
		0.6: nil, 0.5: {own}, 0.4: {rate("", report.CallLevel, report.FewLabels, 0.4), own},
	} {
		got := rateToPlan(&report.Report{Headline: report.Headline{Rates: append(others[:4:4], list...)}}, row)
		if *got.Rate.Value != want || got.FurtherLabels != nil {
			t.Errorf("%+v, want %v", got, want)
		}
	}
}

// Corrected rates with labels come first, then labels, judges, and the log's labels.
func TestHeadlineOrder(t *testing.T) {
	for want, h := range []report.HeadlineRate{
		{Kind: report.CorrectedRateKind, Labels: 1, Judge: "j"}, {Kind: report.LabelRateKind, Labels: 1},
		{Kind: report.CorrectedRateKind, Judge: "j"}, {Kind: report.LabelRateKind},
	} {
		if got := headlineOrder(&h); got != want {
			t.Errorf("%+v: %d, want %d", h, got, want)
		}
	}
}

// TestHeadlineOfLabels: labels of a run lead with their rate: those of whole conversations and calls, and people's
// by an overall rubric, with the judge's own rate beside them if there is one judge.
func TestHeadlineOfLabels(t *testing.T) {
	row := func(source, name, metric, judge string, rate *float64) report.ScoreRow {
		s := report.ScoreRow{PassRate: report.Estimate{Value: rate, Low: rate, High: rate}, Judged: 7}
		s.Source, s.Name, s.Metric, s.Judge, s.Level = source, name, metric, judge, report.CallLevel
		return s
	}
	r := &report.Report{Scores: []report.ScoreRow{
		row("judge", "overall", "", "j", new(0.5)), row("deterministic", "exact", "", "", new(0.5)),
		row("label", "human", "", "", new(0.25)), row("label", "human", "part", "", new(0.5)),
		row("label", "db_match", "", "", new(0.5)), row("label", "empty", "", "", nil),
		row("label", report.PeopleLabel, "", "", new(0.75)), row("label", report.PeopleLabelOf("tone"), "", "", new(0.5)),
		row("label", report.PeopleLabelOf("overall"), "", "", new(1.)), row("label", "picked", "", "", new(0.125)),
	}}
	r.Run.Rubrics = []report.Rubric{{Name: "overall"}, {Name: "tone"}}
	chosen := report.LabelCorrection{Label: "picked"}
	chosen.NoSample = "a choice"
	r.Corrected = []report.LabelCorrection{chosen}
	setHeadline(r)
	var got []string
	for _, h := range r.Headline.Rates {
		line := fmt.Sprintf("%s %s%s %g of %d, %d labels", h.Kind, h.Judge, h.Name, *h.Rate.Value, h.N, h.Labels)
		if h.Raw != nil {
			line += fmt.Sprintf(", raw %g", *h.Raw.Value)
		}
		got = append(got, line+map[bool]string{true: "", false: ", no interval"}[h.Rate.HasInterval()])
	}
	want := []string{
		"label your labels 0.75 of 7, 7 labels, raw 0.5", "label your labels of overall 1 of 7, 7 labels, raw 0.5",
		"raw joverall 0.5 of 7, 0 labels", "label human 0.25 of 7, 0 labels", "label picked 0.125 of 7, 0 labels, no interval",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestHeadlineOfACalibration: a calibration corrects the rate of its judge and rubric, if its own has an interval.
func TestHeadlineOfACalibration(t *testing.T) {
	interval := func(v float64) report.Estimate {
		return report.Estimate{Value: &v, Low: new(v - 0.1), High: new(v + 0.1)}
	}
	s := report.ScoreRow{PassRate: interval(0.5), Judged: 70}
	s.Source, s.Name, s.Judge, s.Level = "judge", "overall", "j", report.CallLevel
	for name, tt := range map[string]struct {
		judge, rubric string
		rate          report.Estimate
		want          string
	}{
		"its own":        {"j", "overall", interval(0.95), "corrected 0.95 to 1, raw 0.5, 30 labels of 12, one call true"},
		"another judge":  {"k", "overall", interval(0.75), "raw 0.5 to 0.6, 0 labels of 0, one call false"},
		"another rubric": {"j", "tone", interval(0.75), "raw 0.5 to 0.6, 0 labels of 0, one call false"},
		"no interval":    {"j", "overall", report.Estimate{Value: new(0.75)}, "raw 0.5 to 0.6, 0 labels of 0, one call false"},
	} {
		row := report.CalibrationRow{Judge: tt.judge, Rubric: tt.rubric, N: 30, Conversations: 12,
			PassRate: &report.CorrectedRate{Corrected: tt.rate, OneCall: true}}
		applied := &report.Applied{}
		applied.Rows = []report.CalibrationRow{{Judge: "j", Rubric: "overall"}, row}
		r := &report.Report{Scores: []report.ScoreRow{s}, Calibration: applied}
		setHeadline(r)
		h := r.Headline.Rates[0]
		got := fmt.Sprintf("%s %g to %g", h.Kind, *h.Rate.Value, *h.Rate.High)
		if h.Raw != nil {
			got += fmt.Sprintf(", raw %g", *h.Raw.Value)
		}
		if got += fmt.Sprintf(", %d labels of %d, one call %v", h.Labels, h.Labelled, h.OneCall); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
