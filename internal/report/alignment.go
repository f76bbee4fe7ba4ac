package report

// AlignmentSchema is the version of the JSON form of an alignment.
const AlignmentSchema = "judge.align/v1"

// Alignment is the result of judge align: the proposed rubric, and whether it is better.
type Alignment struct {
	Schema string `json:"schema"`
	// ID identifies the alignment; it is a function of the labels, judge, rubric and settings.
	ID     string `json:"id"`
	RunID  string `json:"run_id"`
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	// Parent and Child are the SHAs of the rubric before and after; Child is "" if none.
	Parent string `json:"parent"`
	Child  string `json:"child,omitempty"`
	// With is the model that proposed guidelines.
	With string `json:"with"`
	// Target names the statistic that should improve: J or kappa.
	Target string  `json:"target"`
	Alpha  float64 `json:"alpha"`
	// Labels counts the labels of the random sample, Fails the fails among them, Tasks their tasks,
	// and Picked further labels, on which nothing is tested.
	Labels int `json:"labels"`
	Fails  int `json:"failed"`
	Tasks  int `json:"tasks"`
	Picked int `json:"picked_labels,omitempty"`
	// Folds is the number of parts for cross-fitting, 0 for one held-out part; Learn, Select and
	// Test count the labels of each part.
	Folds  int `json:"folds"`
	Learn  int `json:"learn_labels"`
	Select int `json:"select_labels"`
	Test   int `json:"test_labels"`
	// Seen counts the earlier alignments that used these test labels.
	Seen int `json:"seen_before"`
	// Proven says that the interval of the target's change is above 0. If it is not, Why gives the
	// reason.
	Proven bool   `json:"proven"`
	Why    string `json:"why,omitempty"`
	// Before and After are measured on the test labels; nil if nothing was worth a test.
	Before *AlignmentRates `json:"before,omitempty"`
	After  *AlignmentRates `json:"after,omitempty"`
	Change *AlignmentRates `json:"change,omitempty"`
	// Learned is the change on the labels from which the proposal was made, if nothing was proven.
	Learned *AlignmentRates `json:"change_where_learned,omitempty"`
	// Steps are the proposed changes to the rubric, in the order in which they were tried.
	Steps      []AlignmentStep      `json:"steps"`
	Guidelines []AlignmentGuideline `json:"guidelines"`
	Examples   []string             `json:"examples"`
	Retrieve   int                  `json:"retrieve,omitempty"`
	// Width says how precisely the agent's pass rate is known before and after.
	Width *AlignmentWidth `json:"pass_rate,omitempty"`
	// Requests counts the requests of all judgements and proposals; Limit is the budget, 0 for
	// none.
	Requests int `json:"requests"`
	Limit    int `json:"budget,omitempty"`
	// File is the proposed rubric, as a file beside the report; Diff shows what changed.
	File  string    `json:"file,omitempty"`
	Diff  string    `json:"diff,omitempty"`
	Notes []Warning `json:"notes"`
}

// AlignmentRates are the measures of a judge against labels, or their paired change.
type AlignmentRates struct {
	N        int      `json:"n"`
	Answered int      `json:"answered"`
	Found    Estimate `json:"found"`
	Kept     Estimate `json:"kept"`
	Youden   Estimate `json:"youden"`
	Kappa    Estimate `json:"kappa"`
}

// Target returns J or kappa, by name.
func (r *AlignmentRates) Target(name string) Estimate {
	if name == KappaTarget {
		return r.Kappa
	}
	return r.Youden
}

// The statistics that an alignment can improve.
const (
	YoudenTarget = "J"
	KappaTarget  = "kappa"
)

// AlignmentStep is one proposal with its result on the select part.
type AlignmentStep struct {
	Round    int      `json:"round"`
	Name     string   `json:"name"`
	Before   Estimate `json:"before"`
	After    Estimate `json:"after"`
	Answered int      `json:"answered"`
	N        int      `json:"n"`
	Kept     bool     `json:"kept"`
	Note     string   `json:"note,omitempty"`
}

// AlignmentGuideline is a rule and the labelled calls from which it was derived.
type AlignmentGuideline struct {
	Rule string   `json:"rule"`
	From []string `json:"from"`
}

// AlignmentWidth says how precisely the pass rate is known from the labels that may measure a
// rubric.
type AlignmentWidth struct {
	// Before is the corrected rate by the old rubric, from LabelsBefore labels.
	Before       Estimate `json:"before"`
	LabelsBefore int      `json:"labels_before"`
	// After estimates what the held-out labels and the new rubric will give.
	After       Estimate `json:"after"`
	LabelsAfter int      `json:"labels_after"`
}
