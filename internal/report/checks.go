package report

// Quotes says how many of a judge's quotes are in the record.
type Quotes struct {
	N        int `json:"n"`
	Grounded int `json:"grounded"`
	// Invented is the share of quotes that are not in the record.
	Invented Estimate `json:"invented"`
}

// Corrections says how good a judge's corrected calls are, which shows whether it knows why a call
// is wrong.
type Corrections struct {
	// Effects counts the corrections by their effect according to deterministic scorers: repaired,
	// better, unchanged, worse, invalid.
	Effects []KindCount `json:"effects"`
	// Known counts the corrections of failed calls whose expected call is known; MatchesExpected is
	// the share of them that equal it.
	Known           int      `json:"known"`
	MatchesExpected Estimate `json:"matches_expected"`
	// Gain is the mean improvement of the call's accuracy by the corrections of N failed calls,
	// -1..1.
	N    int      `json:"n"`
	Gain Estimate `json:"gain"`
}

// Policies holds the pass rates under different ways to treat answers that need review (borderline,
// low confidence, a severe flag, an error).
type Policies struct {
	// Answers counts the wanted answers, Escalated those that need review; the other fields count
	// them by reason.
	Answers       int `json:"answers"`
	Escalated     int `json:"escalated"`
	Borderline    int `json:"borderline"`
	LowConfidence int `json:"low_confidence"`
	SevereFlag    int `json:"severe_flag"`
	Missing       int `json:"missing"`
	// AsIs is the pass rate over all verdicts. Abstain is the pass rate over answers that need no
	// review; Coverage is their share of all wanted answers.
	AsIs     Estimate `json:"as_is"`
	Abstain  Estimate `json:"abstain"`
	Coverage Estimate `json:"coverage"`
	// Lowest and Highest are the pass rates if every review ended in a fail, or in a pass.
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
	// Confidence is the judge's mean stated confidence.
	Confidence Estimate `json:"confidence"`
	// Repaired summarizes the answers that needed a repair, Clean those that did not.
	Repaired Part `json:"repaired"`
	Clean    Part `json:"clean"`
	// Shortened summarizes the answers about records that were too long to be shown in full.
	Shortened   Part        `json:"shortened"`
	Quotes      Quotes      `json:"quotes"`
	Corrections Corrections `json:"corrections"`
	Policies    Policies    `json:"policies"`
}

// FlagRate says how often a flag was set among all answers.
type FlagRate struct {
	Code     string   `json:"code"`
	Severity int      `json:"severity"`
	Count    int      `json:"count"`
	Rate     Estimate `json:"rate"`
}

// Part summarizes some of an instrument's scores.
type Part struct {
	N        int      `json:"n"`
	Mean     Estimate `json:"mean"`
	PassRate Estimate `json:"pass_rate"`
}
