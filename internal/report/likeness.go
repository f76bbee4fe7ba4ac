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

// HumanMargin says how much less than each other a judge may agree with people and still be
// within the range of human disagreement.
const HumanMargin = 0.05
