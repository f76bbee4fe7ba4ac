package report

// HumanLikeness says whether a judge agrees with people as these do with each other.
type HumanLikeness struct {
	// Judge is its mean agreement with each person, People theirs with each other, both on
	// the items of at least two people, and Difference the first less the second.
	Judge      Estimate `json:"agreement_with_people"`
	People     Estimate `json:"agreement_among_people"`
	Difference Estimate `json:"difference"`
	// Within says that the judge is within the range of human disagreement: the whole
	// interval of Difference is above -HumanMargin.
	Within bool `json:"within_human_range"`
}

// HumanMargin is how much less than each other a judge may agree with people and still be
// within the range of human disagreement.
const HumanMargin = 0.05

// Words say what the interval says.
func (h HumanLikeness) Words() string {
	switch d := h.Difference; {
	case h.Within:
		return "within the range of human disagreement"
	case !d.HasInterval():
		return "nothing can be said: no interval"
	case *d.High < 0:
		return "agrees with people less than they do with each other"
	}
	return "the interval is too wide to say"
}
