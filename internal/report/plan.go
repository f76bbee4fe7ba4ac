package report

// PlanSchema is the version of a plan.
const PlanSchema = "judge.plan/v1"

// Plan says how many conversations and labels the next run needs, if its conversations are like
// those of an earlier run.
type Plan struct {
	Schema string  `json:"schema"`
	RunID  string  `json:"run_id"`
	Alpha  float64 `json:"alpha"`
	// Drop is the drop of the agent's pass rate that two runs should show with probability Power;
	// HalfWidth is half the width of the rate's interval. 0.05 means 5 points; 0 means that it was
	// not requested.
	Drop      float64     `json:"drop,omitempty"`
	Power     float64     `json:"power"`
	HalfWidth float64     `json:"half_width,omitempty"`
	Judges    []JudgePlan `json:"judges"`
}

// JudgePlan is the plan according to one judge's verdicts in the earlier run.
type JudgePlan struct {
	// Rate is the agent's pass rate from the run's headline, of N items.
	Rate HeadlineRate `json:"rate"`
	// Conversations counts the conversations of the run; JudgeRate is the share that the judge
	// passes.
	Conversations int      `json:"conversations"`
	JudgeRate     Estimate `json:"judge_rate"`
	// ICC is the correlation of two calls in the same conversation, by the judge's verdicts.
	ICC float64 `json:"icc"`
	// Youden is the judge's J against the label Reference; undefined if none.
	Youden    Estimate `json:"youden_j"`
	Reference string   `json:"reference,omitempty"`
	// OtherTasks is the number of conversations that each of two runs needs to show the drop by the
	// judge alone; SameTasks is the number that it needs at least if both runs have the same tasks.
	// Both are nil if no number is enough, or if no drop was requested.
	OtherTasks *int `json:"other_tasks,omitempty"`
	SameTasks  *int `json:"same_tasks,omitempty"`
	// DropLabels lists the labels that each of two runs needs to show the drop by corrected rates,
	// WidthLabels those for the interval.
	DropLabels  []LabelPlan `json:"drop_labels,omitempty"`
	WidthLabels []LabelPlan `json:"width_labels,omitempty"`
	// Why says why there are no numbers: all items pass, or all fail.
	Why string `json:"why,omitempty"`
}

// LabelPlan is one way to label. Numbers are nil if no number is enough.
type LabelPlan struct {
	// PerConversation is the number of calls to label per conversation; 0 means all.
	PerConversation int  `json:"calls_per_conversation"`
	Conversations   *int `json:"conversations"`
	Labels          *int `json:"labels"`
	// JudgedConversations and JudgedLabels are the numbers that are needed if the judge's verdicts
	// on four times as many other conversations correct the rate; nil unless J is above 0.
	JudgedConversations *int `json:"with_judge_conversations"`
	JudgedLabels        *int `json:"with_judge_labels"`
}
