package page

import (
	"fmt"

	"github.com/judgekit/judge/internal/report/words"
)

// histogram is a distribution as bars, in a drawing of 240 by 80 units.
type histogram struct {
	Distribution
	Middle float64
	Words  string
	Bars   []column
}

// column is a bar: fails, then passes on top, then the others.
type column struct {
	X, Width float64
	Parts    []columnPart
}

type columnPart struct {
	Y, Height float64
	Class     string
}

func drawHistogram(d Distribution) histogram {
	const width, height = 240.0, 80.0
	h := histogram{Distribution: d, Middle: (d.Low + d.High) / 2}
	most := 0
	for _, b := range d.Bins {
		most = max(most, b.all())
	}
	step := width / float64(len(d.Bins))
	fails, passes := 0, 0
	for i, b := range d.Bins {
		c := column{X: tenth(float64(i)*step + 1), Width: tenth(step - 2)}
		y := height
		for _, part := range []struct {
			n     int
			class string
		}{{b.Fails, "bad"}, {b.Passes, "good"}, {b.Others, "other"}} {
			tall := height * float64(part.n) / float64(max(1, most))
			y -= tall
			if part.n > 0 {
				c.Parts = append(c.Parts, columnPart{tenth(y), tenth(tall), part.class})
			}
		}
		fails, passes = fails+b.Fails, passes+b.Passes
		h.Bars = append(h.Bars, c)
	}
	h.Words = fmt.Sprintf("%s: %d fail, %d pass", words.Count(d.N, "score", "scores"), fails, passes)
	return h
}
