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
	// Name holds what a comparison calls the run.
	Name string
	// Scores starts a pass over all scores of the run.
	Scores func() iter.Seq2[score.Score, error]
	// ScoresOf is a pass over those of some conversations, in the same order. Nil takes Scores.
	ScoresOf func(conversations ...string) iter.Seq2[score.Score, error]
	// Earlier names a conversation and a call of it as the run does that it is compared
	// with, so that Compare can pair two runs whose names differ: one that nothing there has
	// for what is in this run alone. Names must stay distinct. Nil keeps them. Build does not
	// use it.
	Earlier func(conversationID string, callIndex int) (string, int)
	// Calls says how Earlier pairs the calls of this run.
	Calls CallPairs
}

// Manifest holds what a report needs to know of the run beside its scores. The zero
// value is allowed: names then come from the scores, in alphabetical order.
type Manifest struct {
	RunID   string   `json:"run_id"`
	Version string   `json:"version,omitempty"`
	Judges  []Judge  `json:"judges"`
	Rubrics []Rubric `json:"rubrics"`
	Scorers []Scorer `json:"scorers"`
	Inputs  []Input  `json:"inputs"`
	Counts  Counts   `json:"counts"`
	// Gold names the reference that is taken as the truth, "" for the strongest.
	Gold string `json:"gold,omitempty"`
	// RandomLabels names the labels of the log that are of a random sample of its
	// conversations.
	RandomLabels []string `json:"random_labels,omitempty"`
	// Metrics are computed while the log is read: they need values beside labels.
	Metrics []Metric `json:"metrics,omitempty"`
	// ByParameter is counted while the log is read: it needs the calls themselves.
	ByParameter []ToolParameters `json:"by_parameter,omitempty"`
	// Stopped are the judges that were not asked any further by a rubric.
	Stopped []Stop `json:"stopped,omitempty"`
}

// Judge is one judge of a run, under the name that its scores carry.
type Judge struct {
	Name  string `json:"name"`
	Model string `json:"model,omitempty"`
	// Prompt identifies the prompt version, so that a comparison can distinguish two
	// instruments.
	Prompt string `json:"prompt,omitempty"`
	// Baseline says that this is the built-in rule-based endpoint; Asked that the
	// user named it. A gate is never satisfied by a baseline that was not named.
	Baseline bool `json:"baseline,omitempty"`
	Asked    bool `json:"asked,omitempty"`
	// CircularWith names further scorers or labels that this judge is not compared
	// with, because they look at the same facts by the same rules.
	CircularWith []string `json:"circular_with,omitempty"`
	// SharesRules names scorers that decide by rules which this judge applies too:
	// they are compared, with a warning, and are no headline and no gate.
	SharesRules []string `json:"shares_rules,omitempty"`
	// Together says that the judge answers by several rubrics at once.
	Together bool `json:"together,omitempty"`
	// Members are the judges that a panel or cascade is made of.
	Members []string `json:"members,omitempty"`
	// RetestOf names the judge that this one repeats: it is compared with that one
	// alone, to measure how much of a difference is noise.
	RetestOf string `json:"retest_of,omitempty"`
}

// Rubric is one rubric with its scale and its pass band.
type Rubric struct {
	Name string `json:"name"`
	SHA  string `json:"sha,omitempty"`
	// Min and Max bound the scale; both 0 if it is unknown.
	Min float64 `json:"min"`
	Max float64 `json:"max"`
	// Integer says that the scale has only whole numbers.
	Integer bool `json:"integer,omitempty"`
	// Low and High bound the pass band, inclusive; nil if there is no bound.
	Low  *float64 `json:"threshold_low"`
	High *float64 `json:"threshold_high"`
	// Categories are the answers of a rubric that has categories, in its order, and Pass those
	// that pass. The value of a score is then 1 or 0, or without Pass the place of the category.
	Categories []string `json:"categories,omitempty"`
	Pass       []string `json:"pass,omitempty"`
	// SeesExpected says that judges are shown the expected calls or answer: the rubric's scores are then
	// compared with no scorer that uses them.
	SeesExpected bool `json:"sees_expected,omitempty"`
	// CompareWith names the scorers that measure what the rubric asks, by its own account.
	CompareWith []string `json:"compare_with,omitempty"`
	// MadeFrom has the marks of the conversations in which labels shaped the rubric: no label of
	// them measures it.
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

// Decides reports whether the answers of a rubric pass and fail.
func (r *Rubric) Decides() bool { return len(r.Categories) == 0 || len(r.Pass) > 0 }

// Scorer is one deterministic scorer or label, under the name that its scores
// carry.
type Scorer struct {
	Name string `json:"name"`
	// Type is the scorer's type if the name is another.
	Type string `json:"type,omitempty"`
	// DisplayName holds what tables call it, if that is not its name.
	DisplayName string `json:"display_name,omitempty"`
	score.Facts
	// Low and High bound the values that pass, if the run was given a threshold for
	// them; without one the scorer decides by its own rule.
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

// Counts are the numbers of a run. Build fills Unscored, Scores and, where they
// are 0, Conversations and Calls from the scores; the rest is the caller's.
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
	// BadLines counts lines of the stream that were not scores, Duplicates further
	// scores of one instrument for the same item: the first counts.
	BadLines   int `json:"bad_lines,omitempty"`
	Duplicates int `json:"duplicates,omitempty"`
	// Notes are oddities of the logs, by kind.
	Notes []KindCount `json:"notes,omitempty"`
}

// Cost holds what the answers of a judge cost by the prices of the configuration, which say in
// which currency. CachedTokens is the part of PromptTokens that the server had in a cache.
type Cost struct {
	Judge            string `json:"judge"`
	PromptTokens     int64  `json:"prompt_tokens"`
	CachedTokens     int64  `json:"cached_tokens"`
	CompletionTokens int64  `json:"completion_tokens"`
	// Uncounted says how many judgements have no count of tokens. They are not part of Cost,
	// which is nil if no judgement has one.
	Uncounted int      `json:"uncounted,omitempty"`
	Cost      *float64 `json:"cost"`
}

// Metric is a figure over the data set that a scorer's configuration asked for.
type Metric struct {
	Scorer string `json:"scorer"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	// N says how many observations entered it.
	N int `json:"n"`
	// Value is nil if the figure is a table or undefined; Note says why.
	Value *float64 `json:"value"`
	// Table holds figures that are more than a number; null otherwise.
	Table value.Value `json:"table"`
	Note  string      `json:"note,omitempty"`
}

// KindCount says how often a kind of thing was found, from which source.
type KindCount struct {
	Kind   string `json:"kind"`
	Source string `json:"source,omitempty"`
	Count  int    `json:"count"`
	// First is the first failure of the kind, with its place.
	First string `json:"first,omitempty"`
}

// Stop says that a judge was not asked any further by one rubric: its first judgements
// all failed in the same way.
type Stop struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	// Judgements failed with Kind before it was stopped; Error is the first failure, at
	// Place, and Reply what had come there, "" if nothing had.
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

// Judge returns the judge of that name, an empty one if the run has none.
func (r *Run) Judge(name string) Judge { return r.Named().Judge(name) }

// Meaning returns what a score of the run measures.
func (r *Run) Meaning(ref Instrument) score.Meaning { return r.Named().Meaning(ref) }

// Named has the run's judges, rubrics and scorers by their names.
func (r *Run) Named() *Manifest {
	return &Manifest{Judges: r.Judges, Rubrics: r.Rubrics, Scorers: r.Scorers}
}

// Judge returns the judge of that name, or an empty one.
func (m *Manifest) Judge(name string) Judge {
	j, _ := find(m.Judges, func(j Judge) bool { return j.Name == name })
	j.Name = name
	return j
}

// Rubric returns the rubric of that name; ok is false if the run has no such rubric.
func (m *Manifest) Rubric(name string) (r Rubric, ok bool) {
	r, ok = find(m.Rubrics, func(r Rubric) bool { return r.Name == name })
	r.Name = name
	return r, ok
}

// Scorer returns the scorer of that name, whose type is its name if nothing else is known.
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

// Circular reports whether a judge saw what a reference decides by, so that comparing the two
// says nothing.
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
