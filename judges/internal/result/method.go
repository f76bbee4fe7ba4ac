package result

// Method is how a score is taken from a judge.
type Method string

// The methods. Scores of different methods are different instruments.
const (
	// Parsed takes the number in the answer. It is the default.
	Parsed Method = "parsed"
	// TokenWeighted weighs the labels of an integer scale by the probabilities of
	// the score token. Where that is not possible the parsed number stands, and the
	// result's method says so.
	TokenWeighted Method = "token_weighted"
	// SelfConsistency takes several samples at a temperature above 0: the mean is
	// the score, the majority gives the verdict.
	SelfConsistency Method = "self_consistency"
	// B0 asks a second time without an explanation and weighs the score token of
	// that answer, because after an explanation the distribution has mostly collapsed
	// on one label. Explanation, evidence and correction are those of the first.
	// Where the weight cannot be had the first answer's number stands, and the
	// result's method says so.
	B0 Method = "b0"
)

// Methods returns the methods of a single judge.
func Methods() []Method { return []Method{Parsed, TokenWeighted, SelfConsistency, B0} }

// The methods of scores that were made from other scores.
const (
	// PanelMethod is the method of a score that several judges made together.
	PanelMethod Method = "panel"
	// CascadeMethod is the method of a score that stands at the end of a cascade.
	CascadeMethod Method = "cascade"
)

// KindNoQuorum is the failure of a panel of which too few members answered.
const KindNoQuorum = "no_quorum"
