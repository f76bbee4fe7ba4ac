package metric

import (
	"slices"

	"github.com/judgekit/judge/internal/value"
)

// ratio is a/b, nil where b is 0.
func ratio(a, b int) *float64 {
	if b == 0 {
		return nil
	}
	r := float64(a) / float64(b)
	return &r
}

// f1 is 2·tp/(2·tp+fp+fn), nil where nothing is positive on either side.
func f1(tp, fp, fn int) *float64 { return ratio(2*tp, 2*tp+fp+fn) }

func number(f *float64) value.Value {
	if f == nil {
		return value.Value{}
	}
	return value.OfFloat(*f)
}

func count(n int) value.Value { return value.OfInt(int64(n)) }

// binary counts observations whose value and label are at least the threshold.
func (m Metric) binary(f *Figure, all []Observation) {
	threshold := 1.0
	if m.Threshold != nil {
		threshold = *m.Threshold
	}
	var tp, fp, fn, tn int
	for _, o := range all {
		if o.Value == nil || o.Label == nil {
			continue
		}
		switch got, want := *o.Value >= threshold, *o.Label >= threshold; {
		case got && want:
			tp++
		case got:
			fp++
		case want:
			fn++
		default:
			tn++
		}
	}
	f.N = tp + fp + fn + tn
	if f.N == 0 {
		f.Note = "no value has a label"
		return
	}
	precision, recall, score := ratio(tp, tp+fp), ratio(tp, tp+fn), f1(tp, fp, fn)
	switch m.Type {
	case "precision":
		f.Value, f.Note = precision, undefined(precision, "nothing was called positive")
	case "recall":
		f.Value, f.Note = recall, undefined(recall, "no label is positive")
	case "f1":
		f.Value, f.Note = score, undefined(score, "nothing is positive")
	default:
		f.Value = ratio(tp+tn, f.N)
		f.Table = value.OfObject(
			value.Member{Key: "true_positive", Value: count(tp)}, value.Member{Key: "false_positive", Value: count(fp)},
			value.Member{Key: "false_negative", Value: count(fn)}, value.Member{Key: "true_negative", Value: count(tn)},
			value.Member{Key: "accuracy", Value: number(f.Value)}, value.Member{Key: "precision", Value: number(precision)},
			value.Member{Key: "recall", Value: number(recall)}, value.Member{Key: "f1", Value: number(score)})
	}
}

func undefined(f *float64, why string) string {
	if f == nil {
		return why
	}
	return ""
}

// multiclass compares words. The figure is the accuracy; the table has a row for
// each word, and the macro averages over the words that occur among the labels,
// an undefined part counting as 0.
func multiclass(f *Figure, all []Observation) {
	type cell struct{ got, want string }
	confusion := map[cell]int{}
	var classes []string
	right := 0
	for _, o := range all {
		got, want, ok := o.words()
		if !ok {
			continue
		}
		f.N++
		confusion[cell{got, want}]++
		classes = append(classes, got, want)
		if got == want {
			right++
		}
	}
	if f.N == 0 {
		f.Note = "no value has a label"
		return
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	var rows, cells []value.Value
	var macro [3]float64
	labelled := 0
	for _, class := range classes {
		var called, support int
		for _, other := range classes {
			called += confusion[cell{class, other}]
			support += confusion[cell{other, class}]
			if n := confusion[cell{class, other}]; n > 0 {
				cells = append(cells, value.OfObject(
					value.Member{Key: "value", Value: value.OfString(class)},
					value.Member{Key: "label", Value: value.OfString(other)},
					value.Member{Key: "count", Value: count(n)}))
			}
		}
		tp := confusion[cell{class, class}]
		figures := [3]*float64{ratio(tp, called), ratio(tp, support), f1(tp, called-tp, support-tp)}
		if support > 0 {
			labelled++
			for i, x := range figures {
				if x != nil {
					macro[i] += *x
				}
			}
		}
		rows = append(rows, value.OfObject(
			value.Member{Key: "class", Value: value.OfString(class)}, value.Member{Key: "support", Value: count(support)},
			value.Member{Key: "precision", Value: number(figures[0])}, value.Member{Key: "recall", Value: number(figures[1])},
			value.Member{Key: "f1", Value: number(figures[2])}))
	}
	f.Value = ratio(right, f.N)
	mean := func(i int) value.Value { return value.OfFloat(macro[i] / float64(labelled)) }
	f.Table = value.OfObject(
		value.Member{Key: "accuracy", Value: number(f.Value)},
		value.Member{Key: "macro_precision", Value: mean(0)}, value.Member{Key: "macro_recall", Value: mean(1)},
		value.Member{Key: "macro_f1", Value: mean(2)},
		value.Member{Key: "classes", Value: value.OfList(rows...)},
		value.Member{Key: "confusion", Value: value.OfList(cells...)})
}
