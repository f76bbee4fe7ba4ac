package measure

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/spelling"
)

// endpoint marks the primary endpoint: the named score's row, or else the row of the first judge's
// overall or only rubric; for reduced calls, the mean. Without a judge it marks nothing.
func (c *comparer) endpoint(name string) error {
	only := len(c.b.manifest.Rubrics) == 1
	var titles []string
	for i := range c.out.Rows {
		row := &c.out.Rows[i]
		if !row.Decides || row.Tool != "" || row.Reduced == report.ReduceMin {
			continue
		}
		titles = append(titles, row.Title())
		wanted := row.Title() == name
		if name == "" {
			wanted = row.Judge != "" && row.Metric == "" && (only || report.IsOverall(row.Name))
		}
		if wanted {
			row.IsPrimary = true
			return nil
		}
	}
	if name == "" {
		return nil
	}
	slices.Sort(titles)
	titles = slices.Compact(titles)
	meant := "known are " + words.Some(titles, 30)
	if near := spelling.Nearest(name, titles); near != "" {
		meant = "did you mean " + near + "?"
	}
	return fmt.Errorf("primary endpoint %s: no score of this name is in both runs; %s", words.Shorten(name, 80), meant)
}

// correct corrects the p-values by Holm's method. The primary endpoint is not corrected; all other
// rows of one kind are corrected together. Rows that do not decide repeat the others and are
// corrected on their own. Rows in which no item varies do not count.
func (c *comparer) correct() {
	type kind struct{ primary, tools, decides, leads bool }
	families := map[kind][]*report.Change{}
	for i := range c.out.Rows {
		row := &c.out.Rows[i]
		lead, other := &row.PassRate, &row.Mean
		if row.PassRate.N == 0 {
			lead, other = other, lead
		}
		k := kind{row.IsPrimary, row.Tool != "", row.Decides, true}
		families[k] = append(families[k], lead)
		k.primary, k.leads = false, false
		families[k] = append(families[k], other)
	}
	for _, changes := range families {
		p, family := missingValues(len(changes)), 0
		for i, ch := range changes {
			if ch.P.Defined() {
				p[i] = *ch.P.Value
				family++
			}
		}
		for i, adjusted := range c.Holm(p) {
			ch := changes[i]
			ch.PHolm = report.Point(adjusted)
			ch.Noise = ch.PHolm.Value == nil || *ch.PHolm.Value > c.Alpha
			if ch.PHolm.Defined() {
				ch.CorrectedFor = family
				ch.Detectable = ch.Detectable.Times(c.widening(family, ch.Freedom))
			}
		}
	}
	for i := range c.out.Rows {
		if row := &c.out.Rows[i]; row.DividedByYouden() {
			row.DetectableByYouden = row.TrueDetectable().Value
		}
	}
}

// widening is the factor by which the detectable change grows if the error rate is divided among
// several tests, as Holm's method does for the smallest p-value.
func (c *comparer) widening(tests int, freedom float64) float64 {
	power := stat.NormalQuantile(power)
	return (stat.CriticalT(c.Alpha/float64(tests), freedom) + power) / (stat.CriticalT(c.Alpha, freedom) + power)
}

// minYouden is the lower end of J from which a difference is divided by it.
const minYouden = 0.2

// byYouden adds to a row of a judge's verdicts the judge's J against gold in both runs, and the
// difference divided by J: this is the change of the true rate if the judge makes the same errors
// in both runs (Rogan and Gladen 1978).
func (c *comparer) byYouden(p seriesPair, row *report.ChangeRow) {
	if !isJudge(p.a) || row.JudgeB != "" || row.PassRate.N == 0 || row.Tool != "" {
		return
	}
	level := p.a.Level
	if row.Reduced == report.ReduceMin {
		level = report.ConversationLevel
	}
	var all []pair
	name := c.goldOf(p, level)
	for i, side := range []struct {
		*table
		judge *series
	}{{c.a, p.a}, {c.b, p.b}} {
		at := slices.IndexFunc(side.series, func(sr *series) bool { return sr.Instrument == name })
		if at < 0 {
			continue
		}
		judge := side.judge
		if level != judge.Level {
			judge = side.reduced(judge, report.ReduceMin)
		}
		found := side.pairs(judge, side.series[at])
		if report.IsPeople(name) && c.labels[i].NoSample(name.Name, side.labelledItems(found)) != "" {
			continue // labels that are a selection measure no judge
		}
		all = append(all, found...)
	}
	both := c.verdicts(all).BothRates()
	if !both.Youden.Valid {
		return
	}
	j := report.Interval(both.Youden, both.YoudenInterval)
	row.Youden, row.Reference = &j, name.Title()
	ratio := report.Estimate{Reason: "small_j"}
	if d := row.PassRate.Delta; d.HasInterval() && j.HasInterval() && *j.Low >= minYouden {
		ratio = report.Interval(interval.MoverRatio(estimateOf(d), estimateOf(j)))
	}
	row.ByYouden = &ratio
}

func estimateOf(e report.Estimate) interval.Estimate {
	return interval.Estimate{Value: stat.Some(*e.Value), CI: stat.Both(stat.Some(*e.Low), stat.Some(*e.High))}
}

// goldOf returns the strongest reference at a level that is evidence in both directions for a judge's rubric.
func (c *comparer) goldOf(p seriesPair, level string) (best report.Instrument) {
	r := &report.Report{Run: c.out.B, GoldName: c.b.manifest.Gold}
	of := c.b.references()
	for _, ref := range c.a.references() {
		if report.IsPeople(ref.Instrument) && !slices.ContainsFunc(of, func(b *series) bool { return b.Instrument == ref.Instrument }) {
			of = append(of, ref)
		}
	}
	for _, ref := range of {
		fits := ref.Level == level && r.Direction(ref.Instrument) == report.BothDirection &&
			sameConstruct(r, p.b.Name, ref.Instrument) && !isWeak(r, ref.Instrument) &&
			!c.b.circular(p.b, ref) && !c.b.sharesRules(p.b, ref)
		if fits && (best.Name == "" || cmp.Compare(r.Rank(ref.Instrument), r.Rank(best)) < 0) {
			best = ref.Instrument
		}
	}
	return best
}
