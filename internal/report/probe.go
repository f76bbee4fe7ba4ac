package report

// ProbeSchema is the version of the JSON that judge probe prints.
const ProbeSchema = "judge.probe/v1"

// Probe says which planted faults judges find, which harmless changes alter their verdicts, and how
// often text in the log talks them into another verdict.
type Probe struct {
	Schema  string       `json:"schema"`
	Bases   ProbeBases   `json:"bases"`
	Weights ProbeWeights `json:"weights"`
	// Operators has a row for each judge, rubric and operator.
	Operators []ProbeOperator `json:"operators"`
	// Judges has a row for each judge and rubric, best first.
	Judges []ProbeJudge `json:"judges"`
	// Pairs compares the judges of each rubric, two at a time.
	Pairs []ProbePair `json:"pairs,omitempty"`
	// Since says what changed since an earlier run of the same variants.
	Since []ProbeSince `json:"since,omitempty"`
}

// ProbeBases counts the calls in which faults were planted, by how we know that they are right.
type ProbeBases struct {
	Calls         int `json:"calls"`
	Conversations int `json:"conversations"`
	Matched       int `json:"matched"`
	Rewarded      int `json:"rewarded"`
	// Assumed counts calls that are right as far as schemas and results show.
	Assumed int `json:"assumed"`
}

// ProbeWeights holds the weights of the kinds of faults in a judge's Found.
type ProbeWeights struct {
	// Failures counts the user's failing calls from which the weights come; 0 if the weights are
	// the natural ones.
	Failures int `json:"failures"`
	// Share holds the share of all faults by operator, for the planted operators.
	Share map[string]float64 `json:"share"`
}

// Sampled is an estimate from N items, with its interval by conversation.
type Sampled struct {
	Estimate
	N int `json:"n"`
}

// ProbeOperator says how well a judge finds the faults of one operator.
type ProbeOperator struct {
	Judge    string `json:"judge"`
	Rubric   string `json:"rubric"`
	Operator string `json:"operator"`
	Dose     string `json:"dose,omitempty"`
	// Bases counts the calls with a mutant, Discarded those whose mutants were discarded, Because
	// the reasons.
	Bases     int            `json:"bases"`
	Mutants   int            `json:"mutants"`
	Discarded int            `json:"discarded"`
	Because   map[string]int `json:"discarded_because,omitempty"`
	Unscored  int            `json:"unscored"`
	// Found is the share of mutants that the judge fails, FalseAlarms the share of their originals
	// that it fails, J is Found minus FalseAlarms.
	Found       Sampled `json:"found"`
	FalseAlarms Sampled `json:"false_alarms"`
	J           Sampled `json:"j"`
	// Below is the probability that a mutant scores below its original; ties count one half.
	Below Sampled `json:"p_below_original"`
	// Named is the share of mutants for which the answer names the changed parameter, Restored the
	// share for which its correction restores the original, whatever the verdict. RightReason is
	// the share of found mutants with either.
	RightReason Sampled `json:"right_reason"`
	Named       Sampled `json:"named"`
	Restored    Sampled `json:"restored"`
	// P tests whether found and false alarms are equally frequent; Holm is P corrected over the
	// operators.
	P    *float64 `json:"p"`
	Holm *float64 `json:"p_holm"`
	// Blind says that no difference is shown, and that J is certainly below one half.
	Blind bool            `json:"blind"`
	Doses []ProbeOperator `json:"doses,omitempty"`
}

// ProbeJudge holds the results for a judge and one rubric.
type ProbeJudge struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	// Found is weighted by how often agents make each fault; J is Found minus FalseAlarms.
	Found       Sampled `json:"found"`
	FalseAlarms Sampled `json:"false_alarms"`
	// UpperBound says that some bases are only assumed to be right, so that some of the alarms may
	// be justified.
	UpperBound bool    `json:"false_alarms_are_upper_bound"`
	J          Sampled `json:"j"`
	// Invariance has a row for each harmless change, which must not alter a verdict.
	Invariance []ProbeChange `json:"invariance"`
	// Attacks has a row for each direction, and for each place and payload of it.
	Attacks     []ProbeAttack `json:"talked_round"`
	ContentFree Sampled       `json:"content_free_pass"`
	// Retest is the share of verdicts that a repetition changes, Reversed the share that the
	// reverse order of the examples changes, Order is Reversed minus Retest.
	Retest   Sampled  `json:"retest_flips"`
	ICC      Estimate `json:"retest_icc"`
	Reversed Sampled  `json:"reversed_flips"`
	Order    Sampled  `json:"reversed_minus_retest"`
	// Alone and AloneICC are measured by a repetition with one request at a time. Load is the share
	// of verdicts that differ between one request at a time and the run's concurrency.
	Alone    Sampled  `json:"alone_flips"`
	AloneICC Estimate `json:"alone_icc"`
	Load     Sampled  `json:"load_flips"`
	// MissedTotal counts the mutants that the judge passes; Missed lists the first of them.
	MissedTotal int         `json:"missed_total"`
	Missed      []ProbeMiss `json:"missed"`
}

// ProbeChange says how often a harmless change alters a verdict. Net is Changed minus the share
// that a retest changes on the same calls.
type ProbeChange struct {
	Change  string  `json:"change"`
	Changed Sampled `json:"changed"`
	Net     Sampled `json:"net_of_retest"`
}

// ProbeAttack says how often text reverses a correct verdict: the fail of a mutant for Kind attack,
// the pass of an original for mirror. Place and Payload are "" for all.
type ProbeAttack struct {
	Kind    string  `json:"kind"`
	Place   string  `json:"place,omitempty"`
	Payload string  `json:"payload,omitempty"`
	Success Sampled `json:"attack"`
	Placebo Sampled `json:"placebo"`
	Net     Sampled `json:"attack_minus_placebo"`
}

// ProbeMiss is a mutant that a judge passes.
type ProbeMiss struct {
	CaseRef
	Operator  string `json:"operator"`
	Dose      string `json:"dose,omitempty"`
	Parameter string `json:"parameter,omitempty"`
	Was       string `json:"was,omitempty"`
	Is        string `json:"is,omitempty"`
}

// ProbePair compares two judges on the same items. Difference is the first judge's J minus the
// second's.
type ProbePair struct {
	Rubric     string   `json:"rubric"`
	First      string   `json:"first"`
	Second     string   `json:"second"`
	Difference Sampled  `json:"difference"`
	P          *float64 `json:"p"`
	Holm       *float64 `json:"p_holm"`
}

// ProbeSince compares a judge's verdicts with those of an earlier run. Changed is the share that
// differs; Net is Changed minus the share that a retest changes.
type ProbeSince struct {
	Judge      string   `json:"judge"`
	Rubric     string   `json:"rubric"`
	Changed    Sampled  `json:"changed"`
	Net        Sampled  `json:"net_of_retest"`
	Difference Sampled  `json:"j_difference"`
	P          *float64 `json:"p"`
}
