package page

import (
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// Distribution counts the scores of one instrument by their value.
type Distribution struct {
	// Name is the instrument in words. Low and High are the ends of its scale.
	Name      string
	Low, High float64
	// Bins are equally wide; of a scale of whole numbers each has one number.
	Bins []Bin
	N    int
	// whole says that the scale has whole numbers only, judge that a judge gives them.
	whole, judge bool
}

// Bin counts scores by their verdict.
type Bin struct{ Passes, Fails, Others int }

func (b Bin) all() int { return b.Passes + b.Fails + b.Others }

// distributions gathers scores by source, name and judge.
type distributions struct {
	order []*Distribution
	by    map[scoreKey]*Distribution
}

type scoreKey struct{ source, name, judge string }

// fewestBins is the number of bins of a scale that is not a list of whole numbers.
const fewestBins = 10

func newDistributions(r *report.Report) distributions {
	d := distributions{by: map[scoreKey]*Distribution{}}
	for i := range r.Scores {
		s := &r.Scores[i]
		low, high, whole := 0.0, 1.0, false
		if s.Source == string(score.Label) || s.Metric != "" || s.N == 0 || s.Purpose != "" {
			continue
		}
		at := slices.IndexFunc(r.Run.Rubrics, func(x report.Rubric) bool { return x.Name == s.Name })
		if s.Source == string(score.Judge) && at >= 0 {
			low, high, whole = r.Run.Rubrics[at].Min, r.Run.Rubrics[at].Max, r.Run.Rubrics[at].Integer
		}
		key := scoreKey{s.Source, name(s.Name), name(s.Judge)}
		if d.by[key] != nil || !(low < high) {
			continue
		}
		bins := fewestBins
		if whole = whole && high-low < 20; whole {
			bins = int(high-low) + 1
		}
		d.by[key] = &Distribution{Name: name(s.Words()), Low: low, High: high, Bins: make([]Bin, bins), whole: whole,
			judge: s.Source == string(score.Judge)}
		d.order = append(d.order, d.by[key])
	}
	return d
}

// add counts a score; values off the scale go into the bin at its end.
func (d *distributions) add(s *Score) {
	of := d.by[scoreKey{s.Source, s.Name, s.Judge}]
	if of == nil || s.Value == nil {
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

// list are the judges' distributions and those of scorers whose values are more than two, in
// report order.
func (d *distributions) list() []Distribution {
	var out []Distribution
	for _, of := range d.order {
		graded := slices.ContainsFunc(of.Bins[1:len(of.Bins)-1], func(b Bin) bool { return b.all() > 0 })
		if of.N > 0 && (of.judge || graded) {
			out = append(out, *of)
		}
	}
	return out
}
