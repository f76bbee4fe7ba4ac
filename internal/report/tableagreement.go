package report

// TableAgreementSchema is the version of the JSON form of a TableAgreement.
const TableAgreementSchema = "judge.agree/3"

// TableAgreement is the result of comparing a table's columns, in the types of a run's report: a
// column is a judge or its reference.
type TableAgreement struct {
	Schema string      `json:"schema"`
	Table  TableSource `json:"table"`
	// Gold is empty if judges are compared with each other.
	Gold    string   `json:"gold,omitempty"`
	Judges  []string `json:"judges"`
	Cluster string   `json:"cluster,omitempty"`
	// Clusters counts the clusters; 0 without a cluster column.
	Clusters int           `json:"clusters"`
	By       []string      `json:"by,omitempty"`
	Reading  TableReading  `json:"reading"`
	Alpha    float64       `json:"alpha"`
	Columns  []TableColumn `json:"columns"`
	// Pairs compares the judges with gold, or every two judges.
	Pairs []ColumnPair `json:"agreement"`
	// Panels compares with gold the panels of all judges and, last, the constant judge that always
	// gives gold's more frequent verdict. Ranking ranks judges and panels.
	Panels  []ColumnPair  `json:"panels,omitempty"`
	Ranking *JudgeRanking `json:"ranking,omitempty"`
	// Blind is the ranking if there is no gold.
	Blind *BlindRanking `json:"ranking_without_gold,omitempty"`
	// People compares each judge with the people in the table.
	People []JudgeLikeness `json:"people,omitempty"`
	// Panel is the agreement of all judges with each other.
	Panel    *ConsensusRow `json:"consensus,omitempty"`
	Warnings []Warning     `json:"warnings"`
}

// TableSource says what was read.
type TableSource struct {
	Name       string   `json:"name"`
	Format     string   `json:"format"`
	Rows       int      `json:"rows"`
	Unreadable int      `json:"unreadable"`
	Problems   []string `json:"problems,omitempty"`
}

// TableReading says how the columns were interpreted.
type TableReading struct {
	// Kinds lists verdicts, categories and values, if both sides have them.
	Kinds      []string `json:"kinds"`
	Scale      string   `json:"scale"`
	Categories []string `json:"categories,omitempty"`
	Threshold  string   `json:"threshold,omitempty"`
	GoldCut    string   `json:"gold_threshold,omitempty"`
}

// TableColumn counts what is in a column.
type TableColumn struct {
	Name    string      `json:"name"`
	Role    string      `json:"role"`
	Numbers int         `json:"numbers"`
	Missing int         `json:"missing"`
	Pass    []WordCount `json:"pass_words,omitempty"`
	Fail    []WordCount `json:"fail_words,omitempty"`
	// Unknown words, and those declared as missing, count as missing.
	Unknown  []WordCount `json:"unknown_words,omitempty"`
	NoValues []WordCount `json:"missing_words,omitempty"`
}

// WordCount is a word with its count and the line of its first occurrence.
type WordCount struct {
	Word  string `json:"word"`
	Count int    `json:"count"`
	Line  int    `json:"line"`
}

// ColumnPair is one comparison. The reference is gold or, if none, the first of two
// judges. Conversations are the clusters; without a cluster column, each row is one. MissingJudge
// and MissingRef count the rows without a value on that side; a row may count in both.
type ColumnPair struct {
	AgreementRow
	// The precisions are shares of what the judge fails and passes. They and Youden's J are zero
	// without gold.
	Youden        Estimate `json:"youden,omitzero"`
	PrecisionFail Estimate `json:"precision_fail,omitzero"`
	PrecisionPass Estimate `json:"precision_pass,omitzero"`
	// Each is nil if the columns are not of that kind.
	Numbers *Numbers      `json:"numbers,omitempty"`
	Score   *ScoreQuality `json:"score,omitempty"`
	// Splits has one entry per column to split by.
	Splits []Split `json:"splits,omitempty"`
}

// Numbers holds further statistics of two columns of numbers, besides Graded.
type Numbers struct {
	MeanReference Estimate `json:"mean_reference"`
	MeanJudge     Estimate `json:"mean_judge"`
	// SD is the standard deviation of the differences; the limits of agreement contain 1-alpha of
	// them.
	SD        Estimate `json:"sd_difference"`
	LimitLow  Estimate `json:"limit_low"`
	LimitHigh Estimate `json:"limit_high"`
	Pearson   Estimate `json:"pearson"`
	KendallB  Estimate `json:"kendall_tau_b"`
	// ICC is ICC(2,1); Alpha is Krippendorff's for an interval scale.
	ICC   Estimate `json:"icc"`
	Alpha Estimate `json:"alpha_interval"`
}

// ScoreQuality says how well a judge's numbers separate gold's passes from its fails.
type ScoreQuality struct {
	// AveragePrecision is for wrong items: a useless score has 1 minus the base rate.
	AveragePrecision Estimate `json:"average_precision_wrong"`
	// Best is the threshold with the highest J, BestYouden. It was chosen on these very items, so
	// it is too optimistic.
	Best       Estimate `json:"best_threshold"`
	BestYouden Estimate `json:"best_youden"`
	// Probability treats numbers in 0..1 as probabilities of a pass; nil for other numbers.
	Probability *Confidence `json:"probability,omitempty"`
}

// Split is one comparison split by a column.
type Split struct {
	By     string    `json:"by"`
	Strata []Stratum `json:"strata"`
	// Macro is the mean over the strata that define a number; each stratum counts once.
	Macro ColumnPair `json:"macro"`
}

// Stratum holds the items with one value of the column.
type Stratum struct {
	Name string `json:"name"`
	// Small marks strata that are too small to read alone.
	Small bool `json:"small"`
	ColumnPair
}

// BlindRanking sorts judges in two ways by their verdicts alone: by Dawid and Skene's model, and by
// the share that each fails. Neither order is known to be the order of their quality. Family is the
// model family of all of them, "" if the names name none or several.
type BlindRanking struct {
	Judges []BlindRank `json:"judges"`
	Family string      `json:"one_family,omitempty"`
	// Opposed lists the judges with a J below 0 by the model: they say the opposite of the others.
	Opposed []string `json:"opposed,omitempty"`
}

// BlindRank is one judge beside the others: the mean of its kappas with each, and how often it has
// the majority's verdict.
type BlindRank struct {
	Judge string `json:"judge"`
	// ByFails is the rank by the share that a judge fails, largest first.
	ByFails   int      `json:"place_by_fails"`
	PassRate  Estimate `json:"pass_rate"`
	MeanKappa Estimate `json:"mean_kappa_with_others"`
	Majority  Estimate `json:"same_as_majority"`
}

// JudgeLikeness compares a judge with people who labelled the same N items.
type JudgeLikeness struct {
	Judge string `json:"judge"`
	N     int    `json:"n"`
	HumanLikeness
}
