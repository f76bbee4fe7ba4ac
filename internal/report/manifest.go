package report

import (
	"iter"
	"slices"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// Inputs holds what a report is built from.
type Inputs struct {
	Manifest Manifest
	// Name is the name of the run in a comparison.
	Name string
	// Scores starts a pass over all scores of the run.
	Scores func() iter.Seq2[score.Score, error]
	// ScoresOf starts a pass over the scores of some conversations, in the same order. If it is
	// nil, Scores is used.
	ScoresOf func(conversations ...string) iter.Seq2[score.Score, error]
	// Earlier translates a conversation and a call to the names that they have in the run to
	// compare with, so that Compare can pair two runs whose names differ. An item without a
	// counterpart gets a name that does not occur there. Names must stay distinct. If it is nil,
	// the names are equal. Build does not use it.
	Earlier func(conversationID string, callIndex int) (string, int)
	// Calls says how Earlier pairs the calls of this run.
	Calls CallPairs
}

// Manifest holds what a report needs to know about the run besides its scores. The zero value is
// allowed: names then come from the scores, in alphabetical order.
type Manifest struct {
	RunID   string   `json:"run_id"`
	Version string   `json:"version,omitempty"`
	Judges  []Judge  `json:"judges"`
	Rubrics []Rubric `json:"rubrics"`
	Scorers []Scorer `json:"scorers"`
	Inputs  []Input  `json:"inputs"`
	Counts  Counts   `json:"counts"`
	// Gold names the reference to use as the truth; "" means the strongest.
	Gold string `json:"gold,omitempty"`
	// RandomLabels names the labels of the log that cover a random sample of its conversations.
	RandomLabels []string `json:"random_labels,omitempty"`
	// Metrics were computed while the log was read, because they need values besides labels.
	Metrics []Metric `json:"metrics,omitempty"`
	// ByParameter was counted while the log was read, because it needs the calls themselves.
	ByParameter []ToolParameters `json:"by_parameter,omitempty"`
	// Stopped lists the judges that were stopped for a rubric.
	Stopped []Stop `json:"stopped,omitempty"`
}

// Judge is one judge of a run, under the name in its scores.
type Judge struct {
	Name  string `json:"name"`
	Model string `json:"model,omitempty"`
	// Prompt identifies the prompt version, so that a comparison can tell whether two instruments
	// differ.
	Prompt string `json:"prompt,omitempty"`
	// Baseline marks the built-in rule-based judge; Asked says that the user named it. A baseline
	// that the user did not name never satisfies a gate.
	Baseline bool `json:"baseline,omitempty"`
	Asked    bool `json:"asked,omitempty"`
	// CircularWith names further scorers or labels that this judge is not compared with, because
	// they apply the same rules to the same facts.
	CircularWith []string `json:"circular_with,omitempty"`
	// SharesRules names scorers whose rules this judge applies too. They are compared with a
	// warning, and never decide a headline or a gate.
	SharesRules []string `json:"shares_rules,omitempty"`
	// Together says that the judge answers several rubrics at once.
	Together bool `json:"together,omitempty"`
	// Members names the judges in a panel or cascade.
	Members []string `json:"members,omitempty"`
	// RetestOf names the judge that this one repeats. It is compared only with that judge, to
	// measure how much of a difference is noise.
	RetestOf string `json:"retest_of,omitempty"`
}

// Rubric is one rubric with its scale and its pass band.
type Rubric struct {
	Name string `json:"name"`
	SHA  string `json:"sha,omitempty"`
	// Min and Max are the ends of the scale; both are 0 if it is unknown.
	Min float64 `json:"min"`
	Max float64 `json:"max"`
	// Integer says that the scale has only whole numbers.
	Integer bool `json:"integer,omitempty"`
	// Low and High are the ends of the pass band, inclusive; nil if there is no limit.
	Low  *float64 `json:"threshold_low"`
	High *float64 `json:"threshold_high"`
	// Categories lists the answers of a rubric with categories, in its order, and Pass those that
	// pass. The value of a score is then 1 or 0 or, without Pass, the index of the category.
	Categories []string `json:"categories,omitempty"`
	Pass       []string `json:"pass,omitempty"`
	// SeesExpected says that judges see the expected calls or answer: the rubric's scores are then
	// not compared with scorers that use them.
	SeesExpected bool `json:"sees_expected,omitempty"`
	// CompareWith names the scorers that, according to the rubric, measure the same thing.
	CompareWith []string `json:"compare_with,omitempty"`
	// MadeFrom holds the marks of the conversations whose labels shaped the rubric. Labels of these
	// conversations do not measure it.
	MadeFrom labels.Marks `json:"made_from_labels,omitempty"`
}

// Answer returns the label that names one of the rubric's categories.
func (r *Rubric) Answer(category string) labels.Answer {
	a := labels.Answer{Label: labels.Named, Category: category}
	if len(r.Pass) > 0 {
		a.Label = labels.VerdictAnswer(slices.Contains(r.Pass, category)).Label
	}
	return a
}

// Decides reports whether a rubric's answers have verdicts.
func (r *Rubric) Decides() bool { return len(r.Categories) == 0 || len(r.Pass) > 0 }

// Scorer is one deterministic scorer or label, under the name in its scores.
type Scorer struct {
	Name string `json:"name"`
	// Type is the scorer's type, if it differs from the name.
	Type string `json:"type,omitempty"`
	// DisplayName is the name in tables, if it differs.
	DisplayName string `json:"display_name,omitempty"`
	score.Facts
	// Low and High are the ends of the values that pass, if the run has a threshold for the scorer;
	// without one the scorer's own rule decides.
	Low  *float64 `json:"threshold_low,omitempty"`
	High *float64 `json:"threshold_high,omitempty"`
}

// Input is one log file of the run.
type Input struct {
	Path          string `json:"path"`
	SHA           string `json:"sha256,omitempty"`
	Format        string `json:"format,omitempty"`
	Conversations int    `json:"conversations"`
	Calls         int    `json:"calls"`
}

// Counts holds the counts of a run. Build fills Unscored, Scores and, if they are 0, Conversations
// and Calls from the scores; the caller sets the rest.
type Counts struct {
	Conversations    int   `json:"conversations"`
	Calls            int   `json:"calls"`
	Requests         int   `json:"requests"`
	Cached           int   `json:"cached"`
	Repaired         int   `json:"repaired"`
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	ReasoningTokens  int64 `json:"reasoning_tokens,omitempty"`
	// Costs has an entry for each judge with prices.
	Costs  []Cost `json:"costs,omitempty"`
	Scores int    `json:"scores"`
	// Unscored counts scores without a value by kind of failure, sorted by kind.
	Unscored []KindCount `json:"unscored"`
	// BadLines counts lines of the stream that are not scores, Duplicates further scores of an
	// instrument for the same item, which are not used.
	BadLines   int `json:"bad_lines,omitempty"`
	Duplicates int `json:"duplicates,omitempty"`
	// Notes counts the oddities of the logs by kind.
	Notes []KindCount `json:"notes,omitempty"`
}

// Cost is the cost of a judge's answers, at the prices and in the currency of the configuration.
// CachedTokens is the part of PromptTokens that the server had in a cache.
type Cost struct {
	Judge            string `json:"judge"`
	PromptTokens     int64  `json:"prompt_tokens"`
	CachedTokens     int64  `json:"cached_tokens"`
	CompletionTokens int64  `json:"completion_tokens"`
	// Uncounted counts judgements without token counts. They are not part of Cost, which is nil if
	// no judgement has counts.
	Uncounted int      `json:"uncounted,omitempty"`
	Cost      *float64 `json:"cost"`
}

// Metric is a figure over the data set that a scorer's configuration requested.
type Metric struct {
	Scorer string `json:"scorer"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	// N counts the observations in the figure.
	N int `json:"n"`
	// Value is nil if the figure is a table or undefined; Note says why.
	Value *float64 `json:"value"`
	// Table holds figures that are more than one number; otherwise it is null.
	Table value.Value `json:"table"`
	Note  string      `json:"note,omitempty"`
}

// KindCount counts one kind of thing, by source.
type KindCount struct {
	Kind   string `json:"kind"`
	Source string `json:"source,omitempty"`
	Count  int    `json:"count"`
	// First is the first failure of the kind, with its place.
	First string `json:"first,omitempty"`
}

// Stop says that a judge was stopped for a rubric, because its first judgements all failed in the
// same way.
type Stop struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	// Judgements counts the judgements that failed with Kind before the judge was stopped. Error is
	// the first failure, at Place; Reply is what arrived there, "" if nothing did.
	Judgements int    `json:"judgements"`
	Kind       string `json:"kind"`
	Error      string `json:"error"`
	Place      string `json:"place"`
	Reply      string `json:"reply,omitempty"`
}

// find returns the first element that is wanted.
func find[T any](list []T, wanted func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(list, wanted); i >= 0 {
		return list[i], true
	}
	return found, false
}

// Judge returns the judge with this name; an empty one if the run has none.
func (r *Run) Judge(name string) Judge { return r.Named().Judge(name) }

// Meaning returns what a score of the run measures.
func (r *Run) Meaning(ref Instrument) score.Meaning { return r.Named().Meaning(ref) }

// Named returns the run's judges, rubrics and scorers, to look them up by name.
func (r *Run) Named() *Manifest {
	return &Manifest{Judges: r.Judges, Rubrics: r.Rubrics, Scorers: r.Scorers}
}

// Judge returns the judge with this name, or an empty one.
func (m *Manifest) Judge(name string) Judge {
	j, _ := find(m.Judges, func(j Judge) bool { return j.Name == name })
	j.Name = name
	return j
}

// Rubric returns the rubric with this name; ok is false if the run does not have it.
func (m *Manifest) Rubric(name string) (r Rubric, ok bool) {
	r, ok = find(m.Rubrics, func(r Rubric) bool { return r.Name == name })
	r.Name = name
	return r, ok
}

// Scorer returns the scorer with this name. If nothing else is known, its type is its name.
func (m *Manifest) Scorer(name string) Scorer {
	s, _ := find(m.Scorers, func(s Scorer) bool { return s.Name == name })
	s.Name = name
	if s.Type == "" {
		s.Type = name
	}
	return s
}

// Meaning returns what the scores of a reference mean.
func (m *Manifest) Meaning(ref Instrument) score.Meaning {
	s := m.Scorer(ref.Name)
	return s.Of(ref.Metric)
}

// Circular reports whether a judge saw what a reference decides by, so that comparing the two says
// nothing.
func (m *Manifest) Circular(judge, ref Instrument) bool {
	j, s := m.Judge(judge.Judge), m.Scorer(ref.Name)
	rubric, _ := m.Rubric(judge.Name)
	return rubric.SeesExpected && s.UsesReference() ||
		slices.Contains(j.CircularWith, ref.Name) || slices.Contains(j.CircularWith, s.Type)
}

// HasJudgement reports whether a run has the judge and the rubric.
func (m *Manifest) HasJudgement(judge, rubric string) bool {
	_, ok := m.Rubric(rubric)
	return ok && slices.ContainsFunc(m.Judges, func(j Judge) bool { return j.Name == judge })
}
