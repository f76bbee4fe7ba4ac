package report

import (
	"math"

	"github.com/judgekit/judge/internal/score"
)

// The ways to reduce the calls of a conversation to one score.
const (
	// ReduceMin takes the lowest value; it passes when every call passes.
	ReduceMin = "min"
	// ReduceMean takes the mean value; it passes when the mean is in the pass band.
	ReduceMean = "mean"
	// ReduceShare takes the share of calls that pass; it passes from one half on.
	ReduceShare = "share"
)

var reductions = [3]string{ReduceMin, ReduceMean, ReduceShare}

// reduce makes one observation a conversation of a call-level series. Calls
// without a score are left out; partial counts the conversations that had some
// with and some without. The call of the result is the one that decided: the
// lowest, of equals the first.
func (b *builder) reduce(sr *series, how string) (out *series, partial int) {
	out = &series{Instrument: sr.Instrument}
	out.Level = ConversationLevel
	for start := 0; start < len(sr.obs); {
		end := start
		for end < len(sr.obs) && sr.obs[end].conv == sr.obs[start].conv {
			end++
		}
		o, scored := b.reduceCalls(sr, sr.obs[start:end], how)
		wanted := 0
		for _, c := range sr.obs[start:end] {
			if !c.has(notApplicable) {
				wanted++
			}
		}
		if scored > 0 && scored < wanted {
			partial++
		}
		out.obs = append(out.obs, o)
		start = end
	}
	return out, partial
}

func (b *builder) reduceCalls(sr *series, calls []observation, how string) (out observation, scored int) {
	sum, passes, verdicts := 0.0, 0, 0
	worst := -1
	for i, c := range calls {
		if c.has(hasVerdict) {
			verdicts++
			if c.has(verdictPass) {
				passes++
			}
		}
		if !c.has(hasValue) {
			continue
		}
		scored++
		sum += c.value
		if worst < 0 || c.value < calls[worst].value {
			worst = i
		}
	}
	if worst < 0 {
		// Nothing was scored: the conversation is missing, or not applicable when
		// every call was.
		out = calls[0]
		for _, c := range calls {
			if !c.has(notApplicable) {
				out = c
			}
		}
		return out, 0
	}
	out = calls[worst]
	out.bits &^= hasVerdict | verdictPass
	pass, decided := false, verdicts > 0
	switch how {
	case ReduceMin:
		pass = passes == verdicts
	case ReduceMean:
		out.value = sum / float64(scored)
		pass, decided = b.inBand(sr, out.value)
	case ReduceShare:
		share := 0.0
		if verdicts > 0 {
			share = float64(passes) / float64(verdicts)
		} else {
			out.bits &^= hasValue
		}
		out.value, pass = share, share >= 0.5
	}
	if decided {
		out.bits |= hasVerdict
		if pass {
			out.bits |= verdictPass
		}
	}
	return out, scored
}

// inBand decides a value by the rubric's pass band, where one is known.
func (b *builder) inBand(sr *series, v float64) (pass, decided bool) {
	r, ok := b.scale[sr.Name]
	if !ok || sr.Metric != "" || sr.Source == string(score.Label) || r.Low == nil && r.High == nil {
		return false, false
	}
	return (r.Low == nil || v >= *r.Low) && (r.High == nil || v <= *r.High), true
}

// joined are two instruments on the items that both scored.
type joined struct {
	judge, ref               []float64 // values
	judgeVerdict, refVerdict []float64 // 1, 0, NaN
	confidence               []float64
	cluster                  []int
	tool                     []uint32
	// missingJudge counts items that the reference scored and for which the judge
	// has an error or no usable answer; missingRef the other way round. onlyRef and
	// onlyJudge count items that the other side never met.
	missingJudge, missingRef int
	onlyRef, onlyJudge       int
}

// join pairs two series of one level. With whole set the call index is ignored:
// both hold one observation a conversation.
func join(judge, ref *series, whole bool) joined {
	var out joined
	place := func(o observation) observation {
		if whole {
			o.call = -1
		}
		return o
	}
	i, k := 0, 0
	for i < len(judge.obs) || k < len(ref.obs) {
		c := 0
		switch {
		case i == len(judge.obs):
			c = 1
		case k == len(ref.obs):
			c = -1
		default:
			c = place(judge.obs[i]).comparePlace(place(ref.obs[k]))
		}
		switch {
		case c < 0:
			out.lack(judge.obs[i], &out.onlyJudge)
			i++
		case c > 0:
			out.lack(ref.obs[k], &out.onlyRef)
			k++
		default:
			out.pair(judge.obs[i], ref.obs[k])
			i, k = i+1, k+1
		}
	}
	return out
}

func (j *joined) lack(o observation, count *int) {
	if o.has(hasValue) {
		*count++
	}
}

func (j *joined) pair(judge, ref observation) {
	switch {
	case !judge.has(hasValue) && !ref.has(hasValue):
		return
	case !judge.has(hasValue):
		countAbsent(judge, &j.onlyRef, &j.missingJudge)
		return
	case !ref.has(hasValue):
		countAbsent(ref, &j.onlyJudge, &j.missingRef)
		return
	}
	j.judge, j.ref = append(j.judge, judge.value), append(j.ref, ref.value)
	jv, rv := judge.verdict(), ref.verdict()
	j.judgeVerdict, j.refVerdict = append(j.judgeVerdict, jv), append(j.refVerdict, rv)
	j.confidence = append(j.confidence, judge.confidence())
	j.cluster = append(j.cluster, int(judge.conv))
	j.tool = append(j.tool, judge.tool)
}

// countAbsent adds an observation without a value: to notMet where the instrument had
// nothing to say, else to missing.
func countAbsent(o observation, notMet, missing *int) {
	if o.has(notApplicable) {
		*notMet++
		return
	}
	*missing++
}

func (j *joined) n() int { return len(j.judge) }

// decided are the items on which both sides have a verdict.
func (j *joined) decided() (judge, ref []float64) {
	judge, ref = make([]float64, j.n()), make([]float64, j.n())
	for i := range judge {
		none := math.IsNaN(j.judgeVerdict[i]) || math.IsNaN(j.refVerdict[i])
		judge[i], ref[i] = missingIf(none, j.judgeVerdict[i]), missingIf(none, j.refVerdict[i])
	}
	return judge, ref
}

// conversations counts the clusters of the joined items.
func (j *joined) conversations() int {
	n, last := 0, -1
	for _, c := range j.cluster {
		if c != last {
			n, last = n+1, c
		}
	}
	return n
}
