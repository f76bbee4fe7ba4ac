package assembly

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// arrange puts the series in report order and finds the pass bands in use. The
// manifest's rubrics and scorers then have the bands that verdicts were decided by.
func (t *table) arrange() {
	before := reportOrder(t.manifest)
	slices.SortFunc(t.series, func(x, y *series) int { return before(x.Instrument, y.Instrument) })
	t.scale = map[string]report.Rubric{}
	bands := map[string]report.Threshold{}
	for _, b := range t.bands {
		bands[b.Name] = b
		t.scale[b.Name] = report.Rubric{Name: b.Name, Low: &b.Low, High: b.High}
	}
	m := t.manifest
	m.Rubrics, m.Scorers = slices.Clone(m.Rubrics), slices.Clone(m.Scorers)
	for i := range m.Scorers {
		s := &m.Scorers[i]
		if b, ok := bands[s.Name]; ok {
			s.Low, s.High = &b.Low, b.High
		}
		if s.Low != nil || s.High != nil {
			t.scale[s.Name] = report.Rubric{Name: s.Name, Low: s.Low, High: s.High}
		}
	}
	for i := range m.Rubrics {
		r := &m.Rubrics[i]
		if b, ok := bands[r.Name]; ok {
			r.Low, r.High = &b.Low, b.High
		}
		t.scale[r.Name] = *r
	}
}

// reportOrder compares instruments: judges before scorers before labels, each in
// the order of the manifest, then by name.
func reportOrder(m *report.Manifest) func(x, y report.Instrument) int {
	source := map[string]int{string(score.Judge): 0, string(score.Deterministic): 1, string(score.Label): 2}
	place, judge := map[string]int{}, map[string]int{}
	for i, r := range m.Rubrics {
		place["judge/"+r.Name] = i - len(m.Rubrics)
	}
	for i, s := range m.Scorers {
		place["deterministic/"+s.Name] = i - len(m.Scorers)
	}
	for i, j := range m.Judges {
		judge[j.Name] = i - len(m.Judges)
	}
	return func(x, y report.Instrument) int {
		return cmp.Or(
			cmp.Compare(x.Purpose, y.Purpose),
			cmp.Compare(source[x.Source], source[y.Source]),
			cmp.Compare(judge[x.Judge], judge[y.Judge]), cmp.Compare(x.Judge, y.Judge),
			cmp.Compare(place[x.Source+"/"+x.Name], place[y.Source+"/"+y.Name]),
			cmp.Compare(measure.One(report.IsPart(x)), measure.One(report.IsPart(y))), cmp.Compare(x.Name, y.Name),
			cmp.Compare(x.Metric, y.Metric), cmp.Compare(x.Level, y.Level),
		)
	}
}

// header is the run as the document names it.
func (t *table) header() report.Run {
	m := t.manifest
	r := report.Run{
		ID: m.RunID, Version: m.Version, Judges: filled(m.Judges), Rubrics: filled(m.Rubrics),
		Scorers: filled(m.Scorers), Inputs: filled(m.Inputs),
	}
	for _, band := range t.bands {
		r.Thresholds = append(r.Thresholds, band.String())
	}
	return r
}

// filled turns nil into an empty list, which prints as [].
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// retest reports whether a series has the second answers of a retest: they
// are compared only with the first ones.
func (t *table) retest(sr *series) bool { return t.manifest.Judge(sr.Judge).RetestOf != "" }

// main are the series that enter comparisons: all but those for qa and the
// retests of a judge.
func (t *table) main() []*series {
	return without(t.series, func(sr *series) bool { return sr.Purpose == "qa" || t.retest(sr) })
}

// judges are the judges' series that enter comparisons, references the others.
func (t *table) judges() []*series     { return without(t.main(), isReference) }
func (t *table) references() []*series { return without(t.main(), isJudge) }

func isJudge(sr *series) bool     { return sr.Source == string(score.Judge) }
func isReference(sr *series) bool { return !isJudge(sr) }

// atLevel are those of the series that are of calls, or of conversations.
func atLevel(all []*series, level string) []*series {
	return without(all, func(sr *series) bool { return sr.Level != level })
}

// without is the list without what is to be dropped.
func without[T any](all []T, drop func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), drop)
}

// circular reports whether the judge saw what the reference decides by.
func (t *table) circular(judge, ref *series) bool {
	j, s := t.manifest.Judge(judge.Judge), t.manifest.Scorer(ref.Name)
	return j.SawReference && s.UsesReference ||
		slices.Contains(j.CircularWith, ref.Name) || slices.Contains(j.CircularWith, s.Type)
}

// sharesRules reports whether the judge applies the rules of the reference itself.
func (t *table) sharesRules(judge, ref *series) bool {
	j, s := t.manifest.Judge(judge.Judge), t.manifest.Scorer(ref.Name)
	return slices.ContainsFunc(j.SharesRules, func(name string) bool {
		return name == ref.Title() || name == s.Type && ref.Metric == "" || name == s.Type+"."+ref.Metric
	})
}
