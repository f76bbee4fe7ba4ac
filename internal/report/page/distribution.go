package page

import (
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Distribution counts the scores of one instrument by their value.
type Distribution struct {
	// Name is the instrument's name in words. Low and High are the ends of its scale.
	Name      string
	Low, High float64
	// Bins are equally wide; on a scale of whole numbers each holds one number.
	Bins []Bin
	N    int
	// whole says that the scale has only whole numbers, judge that a judge gives them.
	whole, judge bool
}

// Bin counts scores by their verdict.
type Bin struct{ Passes, Fails, Others int }

func (b Bin) all() int { return b.Passes + b.Fails + b.Others }

// distributions holds the distributions by source, name and judge; nil for instruments without a scale.
type distributions struct {
	rubrics map[string]report.Rubric
	by      map[scoreKey]*Distribution
}

type scoreKey struct{ source, name, judge string }

// minBins is the number of bins if the scale is not a list of whole numbers.
const minBins = 10

func newDistributions(rubrics []report.Rubric) distributions {
	d := distributions{rubrics: map[string]report.Rubric{}, by: map[scoreKey]*Distribution{}}
	for _, r := range rubrics {
		if _, known := d.rubrics[name(r.Name)]; !known {
			d.rubrics[name(r.Name)] = r
		}
	}
	return d
}

// of finds or creates the distribution of an instrument.
func (d *distributions) of(key scoreKey) *Distribution {
	of, known := d.by[key]
	if known || key.source == string(score.Label) {
		return of
	}
	of = &Distribution{High: 1, Bins: make([]Bin, minBins), judge: key.source == string(score.Judge)}
	if r, ok := d.rubrics[key.name]; ok && of.judge {
		of.Low, of.High = r.Min, r.Max
		if of.whole = r.Integer && r.Max-r.Min < 20; of.whole {
			of.Bins = make([]Bin, max(0, int(r.Max-r.Min))+1)
		}
	}
	if !(of.Low < of.High) {
		of = nil
	}
	d.by[key] = of
	return of
}

// add counts a score. A value off the scale goes into the bin at its end.
func (d *distributions) add(s *Score) {
	if s.Value == nil {
		return
	}
	of := d.of(scoreKey{s.Source, s.Name, s.Judge})
	if of == nil {
		return
	}
	share := (*s.Value - of.Low) / (of.High - of.Low)
	steps := len(of.Bins)
	at := int(share * float64(steps))
	if of.whole {
		at = int(share*float64(steps-1) + 0.5)
	}
	b := &of.Bins[min(max(at, 0), steps-1)]
	of.N++
	switch s.Verdict {
	case pass:
		b.Passes++
	case fail:
		b.Fails++
	default:
		b.Others++
	}
}

// list returns the judges' distributions, and those of scorers with more than two values, in report order.
func (d *distributions) list(r *report.Report) (out []Distribution) {
	listed := map[*Distribution]bool{}
	for i := range r.Scores {
		s := &r.Scores[i]
		of := d.by[scoreKey{s.Source, name(s.Name), name(s.Judge)}]
		if of == nil || listed[of] || s.Metric != "" || s.N == 0 || s.Purpose != "" {
			continue
		}
		listed[of], of.Name = true, name(s.Words())
		graded := slices.ContainsFunc(of.Bins[1:len(of.Bins)-1], func(b Bin) bool { return b.all() > 0 })
		if of.judge || graded {
			out = append(out, *of)
		}
	}
	return out
}
