package report

// PlanSchema is the version of a plan.
const PlanSchema = "judge.plan/v1"

// Plan says how many conversations and labels a next run needs, if its conversations are like those of an
// earlier one.
type Plan struct {
	Schema string  `json:"schema"`
	RunID  string  `json:"run_id"`
	Alpha  float64 `json:"alpha"`
	// Drop is the drop of the agent's pass rate that two runs are to show with a chance of Power, HalfWidth
	// half the width of the rate's interval; 0.05 is 5 points, and 0 was not asked for.
	Drop      float64     `json:"drop,omitempty"`
	Power     float64     `json:"power"`
	HalfWidth float64     `json:"half_width,omitempty"`
	Judges    []JudgePlan `json:"judges"`
}

// JudgePlan is the plan by what one judge said in the earlier run.
type JudgePlan struct {
	// Rate is the agent's pass rate as the headline of the run has it, of N items.
	Rate HeadlineRate `json:"rate"`
	// Conversations counts those of the run, and JudgeRate is the share that the judge passes.
	Conversations int      `json:"conversations"`
	JudgeRate     Estimate `json:"judge_rate"`
	// ICC is the correlation of two calls of one conversation, by the judge's verdicts.
	ICC float64 `json:"icc"`
	// Youden is the judge's J against the label Reference; undefined if none says it.
	Youden    Estimate `json:"youden_j"`
	Reference string   `json:"reference,omitempty"`
	// OtherTasks is how many conversations each of two runs needs to show the drop by the judge alone,
	// SameTasks how many it needs at least if both have the same tasks; nil if no number is enough, or none
	// is wanted.
	OtherTasks *int `json:"other_tasks,omitempty"`
	SameTasks  *int `json:"same_tasks,omitempty"`
	// DropLabels are the labels that each of two runs needs to show the drop by corrected rates, WidthLabels
	// those for the interval.
	DropLabels  []LabelPlan `json:"drop_labels,omitempty"`
	WidthLabels []LabelPlan `json:"width_labels,omitempty"`
	// Why says why there are no numbers: all items pass, or all fail.
	Why string `json:"why,omitempty"`
}

// LabelPlan is a way to label. Numbers are nil if no number is enough.
type LabelPlan struct {
	// PerConversation counts the calls to label of each conversation, 0 for all.
	PerConversation int  `json:"calls_per_conversation"`
	Conversations   *int `json:"conversations"`
	Labels          *int `json:"labels"`
	// JudgedConversations and JudgedLabels are those that are needed if the judge's verdicts on four times as many
	// other conversations correct the rate; nil without a J above 0.
	JudgedConversations *int `json:"with_judge_conversations"`
	JudgedLabels        *int `json:"with_judge_labels"`
}
