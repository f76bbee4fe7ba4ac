package page

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/sorting"
)

// Schema is the version of Data.
const Schema = "judge.page/v1"

// Data holds what the page's scripts start with.
type Data struct {
	Schema string `json:"schema"`
	// Run is the run's id.
	Run     string  `json:"run"`
	Totals  Totals  `json:"totals"`
	Choices Choices `json:"choices"`
	// Scales holds the lowest and highest score of each rubric whose scale is known.
	Scales map[string][2]float64 `json:"scales"`
	// Judged says that the run has a judge, so that rows show the judge's verdict and its reference's.
	Judged bool `json:"judged"`
	// Items lists the items on the page, Terms the terms by which the filter finds them (see terms.of),
	// Conversations the JSON of their conversations. They are empty if the page has a server.
	Items         []*Item           `json:"items"`
	Terms         []string          `json:"terms"`
	Conversations []json.RawMessage `json:"conversations"`
	// LogProblem says why conversations are missing; "" if only those that do not fit are.
	LogProblem string `json:"log_problem,omitempty"`
	// Distributions are drawn in the section of scores.
	Distributions []Distribution `json:"-"`
}

// Totals counts the items of the whole run, by the values of Query.Show.
type Totals struct {
	Items                int `json:"items"`
	Failing              int `json:"failing"`
	FailingConversations int `json:"failing_conversations"`
	Disagreements        int `json:"disagreements"`
	Flagged              int `json:"flagged"`
	Missing              int `json:"missing"`
	JudgesDiffer         int `json:"judges_differ"`
	// Changed counts the conversations that changed between two runs; only judge view has it.
	Changed int `json:"changed,omitempty"`
}

// Choices lists the filters' options, for the whole run.
type Choices struct {
	Tools   []Choice `json:"tools"`
	Rubrics []Choice `json:"rubrics"`
	Judges  []Choice `json:"judges"`
	// Scorers have a verdict before the scorer's name, such as "fail NAME".
	Scorers []Choice `json:"scorers"`
	Flags   []Choice `json:"flags"`
	// Groups are the groups of failing calls, largest first.
	Groups []Choice `json:"groups"`
}

// Choice is an option of a filter, its name, and how many items it matches.
type Choice struct {
	Value string `json:"value"`
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Summary counts the items of a run, so that the page can name those that it does not contain.
type Summary struct {
	terms
	items         int
	distributions distributions
}

// NewSummary returns an empty summary for a run with these rubrics.
func NewSummary(rubrics []report.Rubric) *Summary {
	return &Summary{terms: terms{numbers: map[string]uint32{}, single: len(rubrics) == 1}, distributions: newDistributions(rubrics)}
}

// Add counts an item, and returns the numbers of its terms.
func (s *Summary) Add(i *Item) []uint32 {
	numbers := s.of(i)
	for _, n := range numbers {
		s.counts[n]++
	}
	for k := range i.Scores {
		s.distributions.add(&i.Scores[k])
	}
	s.items++
	return numbers
}

// Data returns the page's data without items.
func (s *Summary) Data(r *report.Report) *Data {
	d := &Data{Schema: Schema, Run: r.Run.ID, Judged: len(r.Judges()) > 0, Scales: map[string][2]float64{},
		Items: []*Item{}, Terms: []string{}, Conversations: []json.RawMessage{},
		Distributions: s.distributions.list(r)}
	shown := func(show string) int {
		n, ok := s.numbers["show="+show]
		if !ok {
			return 0
		}
		return s.counts[n]
	}
	d.Totals = Totals{Items: s.items, Failing: shown(ShowFailing), FailingConversations: shown(ShowFailingConversations),
		Disagreements: shown(ShowDisagreements), Flagged: shown(ShowFlagged), Missing: shown(ShowMissing),
		JudgesDiffer: shown(ShowJudgesDiffer)}
	d.Choices = Choices{Tools: s.choices("tool="), Rubrics: s.choices("rubric="), Judges: s.choices("judge="),
		Scorers: s.choices("scorer="), Flags: s.choices("flag="),
		Groups: []Choice{}}
	for i := range r.FailureGroups {
		g := &r.FailureGroups[i]
		d.Choices.Groups = append(d.Choices.Groups, Choice{Value: g.ID, Name: line(words.GroupTitle(g), maxWhy), Count: g.Count})
	}
	if len(d.Choices.Judges) == 1 {
		d.Choices.Judges = []Choice{}
	}
	for _, rubric := range r.Run.Rubrics {
		if rubric.Min < rubric.Max {
			d.Scales[name(rubric.Name)] = [2]float64{rubric.Min, rubric.Max}
		}
	}
	for i := range d.Choices.Scorers {
		c := &d.Choices.Scorers[i]
		verdict, scorer, _ := strings.Cut(c.Value, " ")
		c.Name = scorer + " " + map[string]string{pass: "passes", fail: "fails"}[verdict]
		if verdict == "none" {
			c.Name = scorer + " has no verdict"
		}
	}
	return d
}

// maxChoices limits the options of a filter.
const maxChoices = 300

// choices returns the most frequent values of a field, sorted by name.
func (t *terms) choices(field string) []Choice {
	out := []Choice{}
	for n, term := range t.list {
		if name, ok := strings.CutPrefix(term, field); ok && !strings.Contains(name, "\n") {
			out = append(out, Choice{Value: name, Name: name, Count: t.counts[n]})
		}
	}
	sorting.Stable(out, func(x, y Choice) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Name, y.Name))
	})
	out = out[:min(len(out), maxChoices)]
	sorting.Stable(out, func(x, y Choice) int { return cmp.Compare(x.Name, y.Name) })
	return out
}
