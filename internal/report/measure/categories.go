package measure

import (
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// maxCounted limits the categories of a rubric that are counted.
const maxCounted = 100

// place stores the category of an item as its index in the names, from 1.
func (sr *series) place(item uint32, category string) {
	at := slices.Index(sr.names, category)
	if at < 0 && len(sr.names) < maxCounted {
		at, sr.names = len(sr.names), append(sr.names, strings.Clone(category))
	}
	sr.places.grow(int(item) + 1)
	sr.places[item] = cell{}
	if at >= 0 {
		sr.places[item] = cellOf(float64(at+1), math.NaN())
	}
}

// orderNames sorts the categories in the order of their rubric, then undeclared ones by name.
func (sr *series) orderNames(declared []string) {
	others := dropped(sr.names, func(name string) bool { return slices.Contains(declared, name) })
	slices.Sort(others)
	all := slices.Concat(declared, others)
	for i, c := range sr.places {
		if c.has(isScored) {
			sr.places[i].value = float64(slices.Index(all, sr.names[int(c.value)-1]) + 1)
		}
	}
	sr.names = all
}

// categories returns the series with the categories' indexes as its values; nil if it has no categories.
func (sr *series) categories() *series {
	if sr.places == nil {
		return nil
	}
	return &series{Instrument: sr.Instrument, cells: sr.places, names: sr.names}
}

// declared returns the categories of an instrument's rubric.
func (t *table) declared(in report.Instrument) []string {
	name := in.Name
	if rubric, ok := report.PeopleRubric(name); ok {
		name = rubric
	}
	return t.scale[name].Categories
}

// categoryShares counts how often each category was the answer.
func (b *Builder) categoryShares(sr *series) []report.CategoryShare {
	of := sr.categories()
	if of == nil {
		return nil
	}
	observed := b.observations(of)
	out := make([]report.CategoryShare, 0, len(of.names))
	for i, name := range of.names {
		is := func(o observation) float64 {
			return onlyIf(o.has(isScored), asNumber(o.value == float64(i+1)))
		}
		one := report.CategoryShare{Category: name, Share: rateEstimate(b.weighted(observed, is))}
		for _, o := range observed {
			one.N += int(asNumber(is(o) == 1))
		}
		out = append(out, one)
	}
	return out
}

// applies counts the answers according to which the question applies; nil if an instrument never
// says otherwise, and for scorers and the log's labels. Missing answers are not counted.
func (b *Builder) applies(sr *series, observed []observation) *report.Counted {
	if !isJudge(sr) && !report.IsPeople(sr.Instrument) || count(observed, isNotApplicable) == 0 {
		return nil
	}
	answered := dropped(observed, func(o observation) bool { return !o.has(isScored | isNotApplicable) })
	return &report.Counted{
		Count: count(answered, isScored), Of: len(answered), Rate: rateEstimate(b.weighted(answered, applicable)),
	}
}

// applicable returns 1 if the answer says that the question applies, else 0.
func applicable(o observation) float64 { return asNumber(o.has(isScored)) }

// categoryRatings compares a judge's and a reference's answers by category; nil if one of them has
// no categories, or if the verdicts say the same.
func (t *table) categoryRatings(s *statistics, judge, ref *series) *report.Ratings {
	if judge.places == nil || ref.places == nil {
		return nil
	}
	ref.orderNames(judge.names)
	judge.orderNames(ref.names)
	if len(judge.names) < 3 && t.decides(judge) {
		return nil
	}
	m := match(t.pairs(judge.categories(), ref.categories()))
	scale := make([]float64, len(judge.names))
	for i := range scale {
		scale[i] = float64(i + 1)
	}
	return s.ratings(s.values(m.both), judge.names, scale, raters.LevelNominal)
}

// ratings compares two columns of categories, which are numbers in labels.
func (s *statistics) ratings(c columns, categories []string, labels []float64, level string) *report.Ratings {
	out := &report.Ratings{Categories: categories, Matrix: make([][]int, len(labels))}
	for k := range out.Matrix {
		out.Matrix[k] = make([]int, len(labels))
	}
	place := func(f float64) int { return slices.Index(labels, f) }
	within := func(most int) report.Estimate {
		return rateEstimate(c.Share(func(a, b float64) float64 {
			i, k := place(a), place(b)
			return onlyIf(i >= 0, asNumber(max(i-k, k-i) <= most))
		}))
	}
	for i, label := range c.Gold {
		if at := place(label); at >= 0 {
			out.Matrix[at][place(c.Judge[i])]++
		}
	}
	for _, label := range labels {
		out.Recall = append(out.Recall, rateEstimate(c.Share(func(gold, judge float64) float64 {
			return onlyIf(gold == label, asNumber(judge == label))
		})))
	}
	weights := raters.NoWeights
	out.Same, out.Kappa = within(0), c.Kappa(labels, raters.NoWeights)
	if level == Ordinal {
		weights = raters.Quadratic
		out.WithinOne, out.Quadratic = within(1), c.Kappa(labels, raters.Quadratic)
	}
	out.AC, out.Alpha = c.AC(labels, weights), s.alpha([][]float64{c.Gold, c.Judge}, c.Cluster, level)
	return out
}

// applicability compares whether two sides say that the question applies; nil if both always say
// that it does. Items that one side did not answer do not count.
func (s *statistics) applicability(all []pair) *report.Applicability {
	const answered = isScored | isNotApplicable
	both := kept(all, func(p pair) bool { return p.judge.has(answered) && p.ref.has(answered) })
	if !slices.ContainsFunc(both, func(p pair) bool { return (p.judge.bits|p.ref.bits)&isNotApplicable != 0 }) {
		return nil
	}
	c := s.pairColumns(both, func(p pair) float64 { return asNumber(p.ref.has(isScored)) },
		func(p pair) float64 { return asNumber(p.judge.has(isScored)) })
	c.Weight = nil
	n := c.Counts()
	return &report.Applicability{N: len(both), Both: n.BothPass, OnlyJudge: n.JudgeOnlyPass,
		OnlyReference: n.JudgeOnlyFail, Neither: n.BothFail, Same: rateEstimate(c.Share(bothAgree)),
		Kappa: c.VerdictKappa()}
}

// categoryRows compares the shares of the categories on the items that both runs answered.
func (c *comparer) categoryRows(p seriesPair) {
	if p.a.places == nil || p.b.places == nil {
		return
	}
	p.b.orderNames(p.a.names)
	a, b := p.a.categories(), p.b.categories()
	all, from := c.pairs(a, b), len(c.out.Categories)
	var tests []float64
	for i, name := range b.names {
		is := func(r reading) float64 { return onlyIf(r.has(isScored), asNumber(r.value == float64(i+1))) }
		row := report.CategoryChange{Instrument: p.a.Instrument, Category: name, Share: c.change(all, is, true)}
		if p.b.Judge != p.a.Judge {
			row.JudgeB = p.b.Judge
		}
		c.out.Categories = append(c.out.Categories, row)
		tests = append(tests, orNaN(row.Share.P.Value))
	}
	for i, adjusted := range c.Holm(tests) {
		ch := &c.out.Categories[from+i].Share
		ch.PHolm, ch.CorrectedFor = report.Point(adjusted), len(stat.Present(tests))
		ch.Noise = ch.PHolm.Value == nil || *ch.PHolm.Value > c.Alpha
	}
}

// orNaN returns the number, or NaN for nil.
func orNaN(f *float64) float64 {
	if f == nil {
		return math.NaN()
	}
	return *f
}
