package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/calibration"
	"github.com/judgekit/judge/internal/agreement/classification"
	"github.com/judgekit/judge/internal/agreement/correlation"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/score"
)

// AgreementRow compares one rubric of one judge with one reference on the items
// that both scored.
type AgreementRow struct {
	Judge     string     `json:"judge"`
	Rubric    string     `json:"rubric"`
	Reference Instrument `json:"reference"`
	// Level is where the two meet. Reduction says how calls became conversations:
	// "" where none were reduced, else min, mean or share, of the side Reduced.
	Level     string `json:"level"`
	Reduction string `json:"reduction,omitempty"`
	Reduced   string `json:"reduced,omitempty"`
	// Refused is "circular" where the comparison would mean nothing; such a row
	// has no numbers.
	Refused string `json:"refused,omitempty"`
	// SharedRules says that the judge applies the reference's rules itself: agreement
	// is to be expected and says nothing of its judgement.
	SharedRules bool `json:"shared_rules,omitempty"`
	// N items are scored by both, Verdicts of them have a verdict on both sides.
	N             int `json:"n"`
	Verdicts      int `json:"verdicts"`
	Conversations int `json:"conversations"`
	// MissingJudge are items that the reference scored and for which the judge
	// failed to give a score; OnlyReference those that the judge never met.
	MissingJudge  int `json:"missing_judge"`
	MissingRef    int `json:"missing_reference"`
	OnlyReference int `json:"only_reference"`
	OnlyJudge     int `json:"only_judge"`
	// Partial counts reduced conversations in which some calls had no score.
	Partial   int       `json:"partial,omitempty"`
	BaseRate  Estimate  `json:"base_rate"`
	JudgeRate Estimate  `json:"judge_rate"`
	Confusion Confusion `json:"confusion"`
	Accuracy  Estimate  `json:"accuracy"`
	Balanced  Estimate  `json:"balanced_accuracy"`
	// RecallWrong is the share of wrong calls that the judge fails, Specificity
	// the share of right calls that it passes.
	RecallWrong Estimate `json:"recall_wrong"`
	Specificity Estimate `json:"specificity"`
	MCC         Estimate `json:"mcc"`
	// Kappa has a t interval clustered by conversation.
	Kappa Estimate `json:"kappa"`
	AC1   Estimate `json:"ac1"`
	// Spearman is of the two values, AUC of the judge's value against the
	// reference's verdict.
	Spearman   Estimate    `json:"spearman"`
	AUC        Estimate    `json:"auc"`
	Confidence *Confidence `json:"confidence,omitempty"`
	ByTool     []ToolPair  `json:"by_tool,omitempty"`
	Warnings   []Warning   `json:"warnings,omitempty"`
}

// Confusion counts verdicts; "wrong" and "right" are the reference's words.
type Confusion struct {
	BothPass      int `json:"both_pass"`
	JudgeOnlyPass int `json:"judge_only_pass"`
	JudgeOnlyFail int `json:"judge_only_fail"`
	BothFail      int `json:"both_fail"`
}

// Confidence says what the judge's claimed confidence is worth: does it tell the
// verdicts that the reference confirms from the others?
type Confidence struct {
	N              int      `json:"n"`
	AUC            Estimate `json:"auc"`
	ECE            Estimate `json:"ece"`
	Brier          Estimate `json:"brier"`
	Overconfidence Estimate `json:"overconfidence"`
	Bins           []Bin    `json:"bins,omitempty"`
}

// Bin is one bin of the reliability diagram.
type Bin struct {
	N          int     `json:"n"`
	Confidence float64 `json:"confidence"`
	Accuracy   float64 `json:"accuracy"`
}

// ToolPair is the comparison on the calls of one tool.
type ToolPair struct {
	Tool          string   `json:"tool"`
	N             int      `json:"n"`
	Small         bool     `json:"small"`
	BaseRate      Estimate `json:"base_rate"`
	JudgeRate     Estimate `json:"judge_rate"`
	Agreement     Estimate `json:"agreement"`
	Kappa         Estimate `json:"kappa"`
	JudgeOnlyPass int      `json:"judge_only_pass"`
	JudgeOnlyFail int      `json:"judge_only_fail"`
}

func isJudge(sr *series) bool     { return sr.Source == string(score.Judge) }
func isReference(sr *series) bool { return sr.Source != string(score.Judge) }

// agreement compares every judge score with every reference.
func (b *builder) agreement(r *Report) error {
	r.Agreement = []AgreementRow{}
	for _, judge := range b.mainSeries(isJudge) {
		for _, ref := range b.mainSeries(isReference) {
			rows, err := b.agreePair(judge, ref)
			if err != nil {
				return fmt.Errorf("agreement of %s with %s: %w", judge.Title(), ref.Title(), err)
			}
			r.Agreement = append(r.Agreement, rows...)
		}
	}
	return nil
}

func (b *builder) agreePair(judge, ref *series) ([]AgreementRow, error) {
	row := AgreementRow{Judge: judge.Judge, Rubric: judge.Title(), Reference: ref.Instrument, Level: judge.Level}
	if b.circular(judge, ref) {
		row.Refused = "circular"
		row.Warnings = []Warning{{"circular", fmt.Sprintf("%s was shown what %s decides by; they are not compared", judge.Judge, ref.Title())}}
		row.refuse()
		return []AgreementRow{row}, nil
	}
	if b.sharesRules(judge, ref) {
		row.SharedRules = true
		row.Warnings = []Warning{{"shared_rules", fmt.Sprintf("%s applies the rules of %s itself: that they agree says nothing of its judgement", judge.Judge, ref.Title())}}
	}
	if judge.Level == ref.Level {
		err := b.agreeRow(&row, join(judge, ref, false))
		return []AgreementRow{row}, err
	}
	var rows []AgreementRow
	row.Level = ConversationLevel
	for _, how := range reductions {
		one, j, k := row, judge, ref
		one.Warnings = slices.Clone(row.Warnings)
		one.Reduction = how
		if judge.Level == CallLevel {
			one.Reduced = "judge"
			j, one.Partial = b.reduce(judge, how)
		} else {
			one.Reduced = "reference"
			k, one.Partial = b.reduce(ref, how)
		}
		if err := b.agreeRow(&one, join(j, k, true)); err != nil {
			return nil, err
		}
		rows = append(rows, one)
	}
	return rows, nil
}

// circular reports whether the judge saw what the reference decides by.
func (b *builder) circular(judge, ref *series) bool {
	j, s := b.manifest.judge(judge.Judge), b.manifest.scorer(ref.Name)
	return j.SawReference && s.UsesReference || slices.Contains(j.CircularWith, ref.Name) || slices.Contains(j.CircularWith, s.Type)
}

// sharesRules reports whether the judge applies the rules of the reference itself.
func (b *builder) sharesRules(judge, ref *series) bool {
	j, s := b.manifest.judge(judge.Judge), b.manifest.scorer(ref.Name)
	return slices.ContainsFunc(j.SharesRules, func(name string) bool {
		return name == ref.Title() || name == s.Type && ref.Metric == "" || name == s.Type+"."+ref.Metric
	})
}

func (row *AgreementRow) refuse() {
	none := Estimate{Reason: "circular"}
	row.BaseRate, row.JudgeRate, row.Accuracy, row.Balanced = none, none, none, none
	row.RecallWrong, row.Specificity, row.MCC, row.Kappa = none, none, none, none
	row.AC1, row.Spearman, row.AUC = none, none, none
}

func (b *builder) agreeRow(row *AgreementRow, j joined) error {
	row.N, row.Conversations = j.n(), j.conversations()
	row.MissingJudge, row.MissingRef = j.missingJudge, j.missingRef
	row.OnlyReference, row.OnlyJudge = j.onlyRef, j.onlyJudge
	judge, ref := j.decided()
	for _, part := range []func() error{
		func() error { return b.rates(row, j.cluster, judge, ref) },
		func() error { return b.kappas(row, j.cluster, judge, ref) },
		func() error { return b.ranks(row, &j) },
		func() error { return b.confidence(row, &j, judge, ref) },
		func() error { return b.toolPairs(row, &j, judge, ref) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	row.warn()
	return nil
}

// rates fills the confusion counts and the rates that follow from them.
func (b *builder) rates(row *AgreementRow, cluster []int, judge, ref []float64) error {
	var base, passed, same, caught, kept uncertainty.ClusterStream
	var c classification.Confusion
	for i, g := range cluster {
		base.Add(ref[i], g)
		passed.Add(judge[i], g)
		same.Add(missingIf(math.IsNaN(ref[i]), 1-math.Abs(judge[i]-ref[i])), g)
		caught.Add(missingIf(ref[i] != 0, 1-judge[i]), g)
		kept.Add(missingIf(ref[i] != 1, judge[i]), g)
		switch {
		case math.IsNaN(ref[i]):
		case ref[i] == 1 && judge[i] == 1:
			c.TP++
		case ref[i] == 1:
			c.FN++
		case judge[i] == 1:
			c.FP++
		default:
			c.TN++
		}
	}
	row.Verdicts = c.N()
	row.Confusion = Confusion{BothPass: c.TP, JudgeOnlyPass: c.FP, JudgeOnlyFail: c.FN, BothFail: c.TN}
	for _, r := range []struct {
		into   *Estimate
		values *uncertainty.ClusterStream
	}{{&row.BaseRate, &base}, {&row.JudgeRate, &passed}, {&row.Accuracy, &same}, {&row.RecallWrong, &caught}, {&row.Specificity, &kept}} {
		var err error
		if *r.into, err = streamRate(r.values, b.Alpha); err != nil {
			return err
		}
	}
	m, err := c.Metrics()
	row.Balanced, row.MCC = point(m.BalancedAccuracy), point(m.MCC)
	return err
}

var verdictScale = []float64{0, 1}

func (b *builder) kappas(row *AgreementRow, cluster []int, judge, ref []float64) error {
	k, err := raters.ClusteredKappa(ref, judge, cluster, verdictScale, raters.NoWeights, uncertainty.Bootstrap{Alpha: b.Alpha})
	if err != nil {
		return err
	}
	row.Kappa = interval(k.Kappa.Kappa, k.CRCI)
	ac, err := raters.GwetAC([][]float64{ref, judge}, verdictScale, raters.NoWeights, b.Alpha)
	row.AC1 = point(ac.Coef)
	return err
}

func (b *builder) ranks(row *AgreementRow, j *joined) error {
	c, err := correlation.Correlate(j.judge, j.ref, b.Alpha)
	if err != nil {
		return err
	}
	row.Spearman = point(c.Spearman)
	auc, err := classification.ROCAUC(j.refVerdict, j.judge, b.Alpha)
	row.AUC = point(auc.AUC)
	return err
}

// confidence asks whether the judge is surer where the reference confirms it.
func (b *builder) confidence(row *AgreementRow, j *joined, judge, ref []float64) error {
	right, some := make([]float64, len(judge)), 0
	for i := range judge {
		right[i] = missingIf(math.IsNaN(ref[i]), 1-math.Abs(judge[i]-ref[i]))
		if !math.IsNaN(j.confidence[i]) && !math.IsNaN(ref[i]) {
			some++
		}
	}
	if some == 0 {
		return nil
	}
	out := &Confidence{N: some}
	auc, err := classification.ROCAUC(right, j.confidence, b.Alpha)
	if err != nil {
		return err
	}
	brier, err := calibration.BrierScore(right, j.confidence)
	if err != nil {
		return err
	}
	const bins = 10
	ece, err := calibration.CalibrationError(j.confidence, right, bins, calibration.UniformBins)
	if err != nil {
		return err
	}
	out.AUC, out.Brier = point(auc.AUC), point(brier.Brier)
	out.ECE, out.Overconfidence = point(ece.ECE), point(ece.Overconfidence)
	for _, bin := range ece.Bins {
		out.Bins = append(out.Bins, Bin{N: bin.N, Confidence: *rounded(bin.Confidence), Accuracy: *rounded(bin.Accuracy)})
	}
	row.Confidence = out
	return nil
}

// toolPairs compares tool by tool, where both sides speak of calls.
func (b *builder) toolPairs(row *AgreementRow, j *joined, judge, ref []float64) error {
	if row.Level != CallLevel || row.Verdicts == 0 {
		return nil
	}
	counts := make([]int, len(b.table.tools))
	for i, t := range j.tool {
		if !math.IsNaN(ref[i]) {
			counts[t]++
		}
	}
	fold, rows := b.foldTools(counts)
	names := make([]string, len(j.tool))
	for i, t := range j.tool {
		if !math.IsNaN(ref[i]) {
			names[i] = rows[fold[t]].Tool
		}
	}
	table, err := classification.Stratify(names, ref, judge, b.Alpha, b.SmallN)
	if err != nil {
		return err
	}
	for _, s := range table.Strata {
		if s.N == 0 {
			continue
		}
		row.ByTool = append(row.ByTool, ToolPair{
			Tool: s.Name, N: s.N, Small: s.N < b.SmallN,
			BaseRate: point(s.GoldRate), JudgeRate: point(s.JudgeRate),
			Agreement: interval(s.Agreement, s.AgreementCI), Kappa: point(s.Kappa),
			JudgeOnlyPass: s.JudgeOnlyPass, JudgeOnlyFail: s.JudgeOnlyFail,
		})
	}
	slices.SortStableFunc(row.ByTool, func(x, y ToolPair) int { return cmp.Or(cmp.Compare(y.N, x.N), cmp.Compare(x.Tool, y.Tool)) })
	return nil
}

const (
	fewItems   = 30
	fewOfClass = 10
	ceiling    = 0.95
)

// warn says what a reader must know before using the row's numbers.
func (row *AgreementRow) warn() {
	add := func(code, format string, args ...any) {
		row.Warnings = append(row.Warnings, Warning{code, fmt.Sprintf(format, args...)})
	}
	c := row.Confusion
	right, wrong := c.BothPass+c.JudgeOnlyFail, c.JudgeOnlyPass+c.BothFail
	switch {
	case row.N == 0:
		add("no_items", "the two never scored the same %s", row.Level)
		return
	case row.Verdicts == 0:
		add("no_verdicts", "one side has no verdicts: only the values are compared")
	case right == 0 || wrong == 0:
		add("one_class", "%s calls everything %s: it cannot show whether the judge tells right from wrong", row.Reference.Title(), verdictWord(wrong == 0))
	case min(right, wrong) < fewOfClass:
		add("few_of_one_class", "only %d %s items: their recall rests on these", min(right, wrong), verdictWord(right < wrong))
	}
	if row.Verdicts > 0 && (c.BothPass+c.JudgeOnlyPass == 0 || c.BothFail+c.JudgeOnlyFail == 0) {
		add("judge_one_class", "the judge gives everything the same verdict, %s", verdictWord(c.BothFail+c.JudgeOnlyFail == 0))
	}
	if row.N < fewItems {
		add("few_items", "only %d items", row.N)
	}
	if row.Conversations < fewClusters {
		row.Warnings = append(row.Warnings, fewClustersWarning(row.Conversations))
	}
	if rate := row.BaseRate.Value; rate != nil && right > 0 && wrong > 0 && (*rate >= ceiling || *rate <= 1-ceiling) {
		add("ceiling", "base rate %.3f: kappa is low here even for a judge that is nearly always right; read AC1 beside it", *rate)
	}
	if wanted := row.N + row.MissingJudge; float64(row.MissingJudge) > unreliableAbove*float64(wanted) {
		add("missing", "the judge has no score for %d of the %d items that %s scored", row.MissingJudge, wanted, row.Reference.Title())
	}
	if row.Partial > 0 {
		add("partial", "%d conversations are reduced from only some of their calls", row.Partial)
	}
}

func verdictWord(pass bool) string {
	if pass {
		return "right"
	}
	return "wrong"
}
