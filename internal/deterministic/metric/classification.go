package metric

import (
	"slices"
	"strconv"

	"github.com/judgekit/judge/internal/value"
)

// ratio returns a/b, or nil if b is 0.
func ratio(a, b int) *float64 {
	if b == 0 {
		return nil
	}
	r := float64(a) / float64(b)
	return &r
}

// rates returns precision, recall and F1 of counted outcomes; nil if undefined.
func rates(tp, fp, fn int) [3]*float64 {
	return [3]*float64{ratio(tp, tp+fp), ratio(tp, tp+fn), ratio(2*tp, 2*tp+fp+fn)}
}

// field returns a member of a table; v has any type that value.Of accepts.
func field(key string, v any) value.Member { return value.Member{Key: key, Value: value.Of(v)} }

// binary counts true and false positives and negatives: a value or label is positive if it is at
// least the threshold.
func (m Metric) binary(f *Figure, all []Observation) {
	threshold := 1.0
	if m.Threshold != nil {
		threshold = *m.Threshold
	}
	var tp, fp, fn, tn int
	for _, o := range all {
		if !o.scored() || o.Label == nil {
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
	figures := rates(tp, fp, fn)
	for i, undefined := range []struct{ kind, why string }{
		{"precision", "nothing was called positive"}, {"recall", "no label is positive"}, {"f1", "nothing is positive"},
	} {
		if m.Type != undefined.kind {
			continue
		}
		if f.Value = figures[i]; f.Value == nil {
			f.Note = undefined.why
		}
		return
	}
	f.Value = ratio(tp+tn, f.N)
	f.Table = value.OfObject(
		field("true_positive", tp), field("false_positive", fp),
		field("false_negative", fn), field("true_negative", tn), field("accuracy", f.Value),
		field("precision", figures[0]), field("recall", figures[1]), field("f1", figures[2]))
}

// outcome is a value and its label as words.
type outcome struct{ got, want string }

// multiclass compares words. The figure is the accuracy; the table has a row for each word, and the
// macro averages over the words that occur among the labels, in which an undefined part counts as
// 0.
func multiclass(f *Figure, all []Observation) {
	confusion := map[outcome]int{}
	var classes []string
	right := 0
	for _, o := range all {
		if !o.scored() || o.Label == nil && o.Class == "" {
			continue
		}
		cell := outcome{word(*o.Value), o.Class}
		if o.Class == "" {
			cell.want = word(*o.Label)
		}
		f.N++
		confusion[cell]++
		classes = append(classes, cell.got, cell.want)
		if cell.got == cell.want {
			right++
		}
	}
	if f.N == 0 {
		f.Note = "no value has a label"
		return
	}
	slices.Sort(classes)
	f.Value = ratio(right, f.N)
	f.Table = confusionTable(confusion, slices.Compact(classes), f.Value)
}

func word(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func confusionTable(confusion map[outcome]int, classes []string, accuracy *float64) value.Value {
	var rows, cells []value.Value
	var macro [3]float64
	labelled := 0
	for _, class := range classes {
		var called, support int
		for _, other := range classes {
			called += confusion[outcome{class, other}]
			support += confusion[outcome{other, class}]
			if n := confusion[outcome{class, other}]; n > 0 {
				cells = append(cells, value.OfObject(field("value", class), field("label", other), field("count", n)))
			}
		}
		tp := confusion[outcome{class, class}]
		figures := rates(tp, called-tp, support-tp)
		if support > 0 {
			labelled++
			for i, x := range figures {
				if x != nil {
					macro[i] += *x
				}
			}
		}
		rows = append(rows, value.OfObject(field("class", class), field("support", support),
			field("precision", figures[0]), field("recall", figures[1]), field("f1", figures[2])))
	}
	for i := range macro {
		macro[i] /= float64(labelled)
	}
	return value.OfObject(
		field("accuracy", accuracy), field("macro_precision", macro[0]), field("macro_recall", macro[1]),
		field("macro_f1", macro[2]), field("classes", rows), field("confusion", cells))
}
