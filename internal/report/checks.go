package report

// Quotes says how much of a judge's quotes is in the record.
type Quotes struct {
	N        int `json:"n"`
	Grounded int `json:"grounded"`
	// Invented is the share of quotes that are not in the record.
	Invented Estimate `json:"invented"`
}

// Corrections says how good a judge's corrected calls are: whether it knows why a call is
// wrong.
type Corrections struct {
	// Effects counts the corrections by the verdict of deterministic scorers:
	// repaired, better, unchanged, worse, invalid.
	Effects []KindCount `json:"effects"`
	// MatchesExpected is the share, of the Known corrections of failed calls whose
	// expected call is known, that are the expected call.
	Known           int      `json:"known"`
	MatchesExpected Estimate `json:"matches_expected"`
	// Gain is the mean of what the corrections of N failed calls add to the accuracy
	// of the call, in -1..1.
	N    int      `json:"n"`
	Gain Estimate `json:"gain"`
}

// Policies are the pass rates when answers that need review
// (borderline, low confidence, a severe flag, an error) are treated separately.
type Policies struct {
	// Answers is the number of wanted answers, Escalated those that need
	// review, for one or more of the reasons.
	Answers       int `json:"answers"`
	Escalated     int `json:"escalated"`
	Borderline    int `json:"borderline"`
	LowConfidence int `json:"low_confidence"`
	SevereFlag    int `json:"severe_flag"`
	Missing       int `json:"missing"`
	// AsIs is the pass rate over all verdicts, Abstain that over the answers that need
	// no review, which are the share Coverage of all wanted ones.
	AsIs     Estimate `json:"as_is"`
	Abstain  Estimate `json:"abstain"`
	Coverage Estimate `json:"coverage"`
	// Lowest and Highest are the pass rates if every review ended in a fail, or
	// in a pass.
	Lowest  Estimate `json:"lowest"`
	Highest Estimate `json:"highest"`
}

// CheckRow holds what one judge's answers to one rubric show about the judge itself.
type CheckRow struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	Level  string `json:"level"`
	N      int    `json:"n"`
	// Severe is the share of scored answers with a flag of severity 2.
	Severe Estimate   `json:"severe"`
	Flags  []FlagRate `json:"flags"`
	// Confidence is the mean confidence that the judge claims.
	Confidence Estimate `json:"confidence"`
	// Repaired and Clean are the answers that needed a repair and those that did not.
	Repaired Part `json:"repaired"`
	Clean    Part `json:"clean"`
	// Shortened are answers on a record that was too long to be shown whole.
	Shortened   Part        `json:"shortened"`
	Quotes      Quotes      `json:"quotes"`
	Corrections Corrections `json:"corrections"`
	Policies    Policies    `json:"policies"`
}

// FlagRate says how often a flag was raised among all answers.
type FlagRate struct {
	Code     string   `json:"code"`
	Severity int      `json:"severity"`
	Count    int      `json:"count"`
	Rate     Estimate `json:"rate"`
}

// Part summarizes some of the scores of an instrument.
type Part struct {
	N        int      `json:"n"`
	Mean     Estimate `json:"mean"`
	PassRate Estimate `json:"pass_rate"`
}
