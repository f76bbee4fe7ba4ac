package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/classification"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
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
	// Graded says whether the two scores are interchangeable; nil unless both are on
	// the scale 0..1 and the reference is more than a verdict.
	Graded *Graded `json:"graded,omitempty"`
	// Abstain is the agreement where the judge is not taken at its word when its
	// answer calls for a second look; nil where none does.
	Abstain  *Abstention `json:"abstain,omitempty"`
	ByTool   []ToolPair  `json:"by_tool,omitempty"`
	Warnings []Warning   `json:"warnings,omitempty"`
}

// Graded compares two scores on the scale 0..1 as numbers.
type Graded struct {
	// Bias is the mean of the judge's score minus the reference's.
	Bias Estimate `json:"bias"`
	MAE  Estimate `json:"mae"`
	RMSE Estimate `json:"rmse"`
	// CCC is Lin's concordance: unlike a correlation it falls when one of the two is
	// always higher.
	CCC Estimate `json:"ccc"`
}

// Abstention is the agreement on the answers that need no second look.
type Abstention struct {
	// N answers are left, Coverage is their share.
	N           int      `json:"n"`
	Coverage    Estimate `json:"coverage"`
	Accuracy    Estimate `json:"accuracy"`
	RecallWrong Estimate `json:"recall_wrong"`
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

// raterConfig tunes the comparisons of instruments.
type raterConfig struct {
	// Alpha is the error rate of intervals.
	Alpha float64
	// MaxTools bounds the tools that have a row of their own, SmallN marks those with
	// fewer items.
	MaxTools, SmallN int
}

// matcher holds what the comparisons of instruments share.
type matcher struct {
	raterConfig
	*held
}

// fillAgreement holds the instruments of a run against each other: judges against
// references, judges against judges, all judges of a rubric, a judge against its second
// hearing.
func fillAgreement(run *held, cfg raterConfig, r *Report) error {
	b := &matcher{raterConfig: cfg, held: run}
	if err := b.agreement(r); err != nil {
		return err
	}
	checkGold(r)
	for _, part := range []func(*Report) error{b.scatters, b.peers, b.consensus, b.noise} {
		if err := part(r); err != nil {
			return err
		}
	}
	return nil
}

// agreement compares every judge score with every reference.
func (b *matcher) agreement(r *Report) error {
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

func (b *matcher) agreePair(judge, ref *series) ([]AgreementRow, error) {
	row := AgreementRow{Judge: judge.Judge, Rubric: judge.Title(), Reference: ref.Instrument, Level: judge.Level}
	if b.circular(judge, ref) {
		row.Refused = "circular"
		row.Warnings = []Warning{{"circular", fmt.Sprintf("%s was shown what %s decides by; they are not compared", judge.Judge, ref.Title())}}
		refuse(&row)
		return []AgreementRow{row}, nil
	}
	if b.sharesRules(judge, ref) {
		row.SharedRules = true
		row.Warnings = []Warning{{"shared_rules", fmt.Sprintf("%s applies the rules of %s itself: that they agree says nothing of its judgement", judge.Judge, ref.Title())}}
	}
	if judge.Level == ref.Level {
		err := b.agreeRow(&row, pairing{b.table, row.Level, judge, ref})
		return []AgreementRow{row}, err
	}
	var rows []AgreementRow
	row.Level = ConversationLevel
	for _, how := range reductions {
		one, j, k := row, judge, ref
		one.Warnings = slices.Clone(row.Warnings)
		one.Reduction = how
		if judge.Level == CallLevel {
			one.Reduced, j = "judge", b.reduced(judge, how)
		} else {
			one.Reduced, k = "reference", b.reduced(ref, how)
		}
		if err := b.agreeRow(&one, pairing{b.table, row.Level, j, k}); err != nil {
			return nil, err
		}
		rows = append(rows, one)
	}
	return rows, nil
}

func refuse(row *AgreementRow) {
	none := Estimate{Reason: "circular"}
	row.BaseRate, row.JudgeRate, row.Accuracy, row.Balanced = none, none, none, none
	row.RecallWrong, row.Specificity, row.MCC, row.Kappa = none, none, none, none
	row.AC1, row.Spearman, row.AUC = none, none, none
}

func (b *matcher) agreeRow(row *AgreementRow, p pairing) error {
	s := sumsOf(p)
	row.N, row.Conversations, row.Partial = s.n, s.conversations, s.partial
	row.MissingJudge, row.MissingRef = s.missingJudge, s.missingRef
	row.OnlyReference, row.OnlyJudge = s.onlyRef, s.onlyJudge
	for _, part := range []func() error{
		func() error { return b.rates(row, s) },
		func() error { return b.coefficients(row, p, s) },
		func() error { return b.confidence(row, s) },
	} {
		if err := part(); err != nil {
			return err
		}
	}
	warn(row)
	return nil
}

// rates fills the confusion counts and the rates that follow from them.
func (b *matcher) rates(row *AgreementRow, s *pairSums) error {
	c := s.verdicts
	row.Verdicts = c.N()
	row.Confusion = Confusion{BothPass: c.TP, JudgeOnlyPass: c.FP, JudgeOnlyFail: c.FN, BothFail: c.TN}
	for _, r := range []struct {
		into   *Estimate
		values *uncertainty.ClusterStream
	}{{&row.BaseRate, &s.base}, {&row.JudgeRate, &s.passed}, {&row.Accuracy, &s.same}, {&row.RecallWrong, &s.caught}, {&row.Specificity, &s.kept}} {
		var err error
		if *r.into, err = streamRate(r.values, b.Alpha); err != nil {
			return err
		}
	}
	m, err := c.Metrics()
	row.Balanced, row.MCC = point(m.BalancedAccuracy), point(m.MCC)
	if n := s.sureSame.N(); err == nil && n < row.Verdicts {
		row.Abstain = &Abstention{N: n, Coverage: point(statistic.Ratio(float64(n), float64(row.Verdicts), statistic.NoItems))}
		if row.Abstain.Accuracy, err = streamRate(&s.sureSame, b.Alpha); err == nil {
			row.Abstain.RecallWrong, err = streamRate(&s.sureCaught, b.Alpha)
		}
	}
	return err
}

// coefficients fills kappa and AUC and compares tool by tool, which takes a second
// pass for the intervals, and fills what the counts give beside them.
func (b *matcher) coefficients(row *AgreementRow, p pairing, s *pairSums) error {
	kappa, err := raters.CountedKappa(verdictTable(s.verdicts), 2, raters.NoWeights, b.Alpha)
	if err != nil {
		return err
	}
	fold, tools, tables, err := b.toolTables(row, s)
	if err != nil {
		return err
	}
	auc := s.ranked.AUC()
	totals := clusteredOf(p, &kappa, &auc, fold, tables)
	if row.Kappa, err = b.uncertain(kappa.Kappa.Kappa, &totals.kappa); err != nil {
		return err
	}
	if row.AUC, err = b.uncertain(auc.AUC, &totals.auc); err != nil {
		return err
	}
	row.AUC = row.AUC.Clipped(0, 1)
	row.AC1, row.Spearman = point(s.verdicts.AC1()), point(s.values.Spearman())
	if b.graded(p.judge, s) {
		g := s.values.Graded()
		row.Graded = &Graded{Bias: point(g.Bias), MAE: point(g.MAE), RMSE: point(g.RMSE), CCC: point(g.CCC)}
		m, err := s.bias.Estimate(b.Alpha)
		if err != nil {
			return err
		}
		row.Graded.Bias = Interval(m.Mean, m.CI)
	}
	return b.toolPairs(row, tools, totals.rows)
}

// graded reports whether the pairs are scores on 0..1 of which the reference's are more
// than verdicts.
func (b *matcher) graded(judge *series, s *pairSums) bool {
	if r, ok := b.scale[judge.Name]; ok && (r.Integer || r.Min != 0 || r.Max != 1) {
		return false
	}
	between := false
	for _, c := range s.values.Cells() {
		if min(c.X, c.Y) < 0 || max(c.X, c.Y) > 1 {
			return false
		}
		between = between || c.Y > 0 && c.Y < 1
	}
	return between
}

// uncertain is an estimate with its interval by cluster. A standard error of 0 comes
// from a table without disagreement, or from a judge with one verdict: it is no
// certainty, and there is no interval then.
func (b *matcher) uncertain(estimate statistic.Opt, totals *uncertainty.ClusterTotals) (Estimate, error) {
	if se := totals.SE(); se.Valid && se.Value < zeroError {
		return point(estimate), nil
	}
	iv, err := totals.Interval(estimate, b.Alpha)
	return Interval(estimate, iv), err
}

// zeroError is what rounding leaves of a standard error of 0.
const zeroError = 1e-12

// confidence asks whether the judge is surer where the reference confirms it.
func (b *matcher) confidence(row *AgreementRow, s *pairSums) error {
	if s.sure.N() == 0 {
		return nil
	}
	const bins = 10
	auc, ece := s.sure.AUC(), s.sure.Calibration(bins)
	out := &Confidence{N: s.sure.N(), AUC: point(auc.AUC), Brier: point(s.sure.Brier()), ECE: point(ece.ECE), Overconfidence: point(ece.Overconfidence)}
	for _, bin := range ece.Bins {
		out.Bins = append(out.Bins, Bin{N: bin.N, Confidence: *rounded(bin.Confidence), Accuracy: *rounded(bin.Accuracy)})
	}
	row.Confidence = out
	return nil
}

// toolTables counts the verdicts of each row of tools, where both sides speak of calls.
func (b *matcher) toolTables(row *AgreementRow, s *pairSums) (fold []int, tools []classification.Stratum, tables []raters.KappaTable, err error) {
	if row.Level != CallLevel || row.Verdicts == 0 {
		return nil, nil, nil, nil
	}
	counts := make([]int, len(b.table.set.Tools()))
	for t, c := range s.byTool {
		counts[t] = c.N()
	}
	fold, rows := b.foldTools(counts)
	folded := make([]classification.Confusion, len(rows))
	for t, c := range s.byTool {
		f := &folded[fold[t]]
		f.TP, f.FP, f.FN, f.TN = f.TP+c.TP, f.FP+c.FP, f.FN+c.FN, f.TN+c.TN
	}
	for i, c := range folded {
		one, err := classification.StratumOf(rows[i].Tool, c, b.Alpha)
		if err != nil {
			return nil, nil, nil, err
		}
		table, err := raters.CountedKappa(verdictTable(c), 2, raters.NoWeights, b.Alpha)
		if err != nil {
			return nil, nil, nil, err
		}
		tools, tables = append(tools, one), append(tables, table)
	}
	return fold, tools, tables, nil
}

// toolPairs lists the rows of tools, those with the most items first. Few items have
// no interval: it would say more of the formula than of the tool.
func (b *matcher) toolPairs(row *AgreementRow, tools []classification.Stratum, sums []toolSums) error {
	for i, t := range tools {
		pair := ToolPair{
			Tool: t.Name, N: t.N, Small: t.N < b.SmallN,
			BaseRate: point(t.GoldRate), JudgeRate: point(t.JudgeRate),
			Agreement: point(t.Agreement), Kappa: point(t.Kappa),
			JudgeOnlyPass: t.JudgeOnlyPass, JudgeOnlyFail: t.JudgeOnlyFail,
		}
		if !pair.Small {
			var err error
			if pair.Agreement, err = streamRate(&sums[i].same, b.Alpha); err != nil {
				return err
			}
			if pair.Kappa, err = b.uncertain(t.Kappa, &sums[i].influence); err != nil {
				return err
			}
		}
		row.ByTool = append(row.ByTool, pair)
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
func warn(row *AgreementRow) {
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
		few := min(right, wrong)
		add("few_of_one_class", "only %d %s %s", few, verdictWord(right < wrong), map[bool]string{true: "item: its recall rests on this one", false: "items: their recall rests on these"}[few == 1])
	}
	if row.Verdicts > 0 && (c.BothPass+c.JudgeOnlyPass == 0 || c.BothFail+c.JudgeOnlyFail == 0) {
		add("judge_one_class", "the judge gives everything the same verdict, %s", verdictWord(c.BothFail+c.JudgeOnlyFail == 0))
	}
	if row.N < fewItems {
		add("few_items", "only %s", count(row.N, "item", "items"))
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
		add("partial", "%s reduced from only some of %s calls", count(row.Partial, "conversation is", "conversations are"), map[bool]string{true: "its", false: "their"}[row.Partial == 1])
	}
}

func verdictWord(pass bool) string {
	if pass {
		return "right"
	}
	return "wrong"
}

// foldTools decides which tools have a row: those with the most calls, by name
// where equal; all others share the last row. fold maps a tool to its row.
func (b *matcher) foldTools(calls []int) (fold []int, rows []ToolRow) {
	order := make([]int, 0, len(calls))
	for t, n := range calls {
		if n > 0 {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(calls[y], calls[x]) })
	fold, rows = make([]int, len(calls)), []ToolRow{}
	for i, t := range order {
		if i >= b.MaxTools {
			last := &rows[len(rows)-1]
			if i == b.MaxTools {
				rows = append(rows, ToolRow{Tool: otherTools})
				last = &rows[len(rows)-1]
			}
			last.Folded++
			last.Calls += calls[t]
			fold[t] = len(rows) - 1
			continue
		}
		fold[t] = len(rows)
		rows = append(rows, ToolRow{Tool: b.table.set.Tools()[t], Calls: calls[t]})
	}
	for i := range rows {
		rows[i].Small = rows[i].Calls < b.SmallN
	}
	return fold, rows
}
