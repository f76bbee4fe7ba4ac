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
)

// Methods returns the methods of a single judge.
func Methods() []Method { return []Method{Parsed, TokenWeighted, SelfConsistency} }

// The methods of scores that were made from other scores.
const (
	// PanelMethod is the method of a score that several judges made together.
	PanelMethod Method = "panel"
	// CascadeMethod is the method of a score that stands at the end of a cascade.
	CascadeMethod Method = "cascade"
)

// KindNoQuorum is the failure of a panel of which too few members answered.
const KindNoQuorum = "no_quorum"
