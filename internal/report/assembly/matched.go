package assembly

import "math"

// matched are the items of a judge and its reference, or of two judges.
type matched struct {
	// both were scored by both, decided are those of them with two verdicts, and sure
	// those of these that call for no second look.
	both, decided, sure    []pair
	conversations, partial int
	// missingJudge counts items that the reference scored and for which the judge
	// has an error or no usable answer; missingRef the other way round. onlyRef and
	// onlyJudge count items that the other side was not asked about.
	missingJudge, missingRef int
	onlyRef, onlyJudge       int
}

func match(all []pair) *matched {
	m, last := &matched{both: make([]pair, 0, len(all)), decided: make([]pair, 0, len(all))}, -1
	for _, p := range all {
		if p.judge.partial || p.ref.partial {
			m.partial++
		}
		switch {
		case p.scored():
		case p.ref.has(isScored):
			countAbsent(p.judge, &m.onlyRef, &m.missingJudge)
			continue
		case p.judge.has(isScored):
			countAbsent(p.ref, &m.onlyJudge, &m.missingRef)
			continue
		default:
			continue
		}
		if p.Cluster() != last {
			m.conversations, last = m.conversations+1, p.Cluster()
		}
		m.both = append(m.both, p)
		if p.judge.has(isDecided) && p.ref.has(isDecided) {
			m.decided = append(m.decided, p)
		}
	}
	m.sure = without(m.decided, func(p pair) bool { return p.judge.has(secondLook) })
	return m
}

// countAbsent adds an observation without a value: to notMet where the instrument had
// nothing to say or was not asked about the item, else to missing.
func countAbsent(o observation, notMet, missing *int) {
	if !o.has(isMet) || o.has(isNotApplicable) {
		*notMet++
		return
	}
	*missing++
}

// Numbers of a pair, NaN where undefined.

func judgeValue(p pair) float64   { return p.judge.number() }
func refValue(p pair) float64     { return p.ref.number() }
func judgePasses(p pair) float64  { j, _ := p.verdicts(); return j }
func refPasses(p pair) float64    { _, r := p.verdicts(); return r }
func judgeVerdict(p pair) float64 { return p.judge.verdict() }
func refVerdict(p pair) float64   { return p.ref.verdict() }
func confidenceOf(p pair) float64 { return p.judge.confidence() }

// same is 1 where the verdicts are equal.
func same(p pair) float64 {
	j, r := p.verdicts()
	return 1 - math.Abs(j-r)
}
