package report

// HumanLikeness says whether a judge agrees with people as well as they agree with each other.
type HumanLikeness struct {
	// Judge is the judge's mean agreement with each person, People the mean agreement of the people
	// with each other, both on the items of at least two people. Difference is Judge minus People.
	Judge      Estimate `json:"agreement_with_people"`
	People     Estimate `json:"agreement_among_people"`
	Difference Estimate `json:"difference"`
	// Within says that the judge is within the range of human disagreement: the whole interval of
	// Difference is above -HumanMargin.
	Within bool `json:"within_human_range"`
}

// HumanMargin says how much less a judge may agree with people than they do with each other, and
// still be within the range of human disagreement.
const HumanMargin = 0.05
