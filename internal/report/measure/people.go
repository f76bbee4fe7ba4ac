package measure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/sorting"
)

// People holds the labels of a labels.jsonl as rows of a sheet, and the people who gave them.
type People struct {
	Rows  []LabelRow
	List  []report.Labeller
	Pairs []report.PeoplePair
}

// RowsOfLabels converts people's labels to rows. A label of the random sample counts as Random only
// if it was given blind. If several people labelled an item, the label of the one with more random
// labels counts, or of the one named by; an unknown name is an error.
func RowsOfLabels(set *labels.Set, by string, alpha float64) (*People, error) {
	p, names := &People{}, set.People()
	if by != "" && !slices.Contains(names, by) {
		return nil, fmt.Errorf("--by: %s labelled nothing here; these did: %q", by, names)
	}
	states := map[string][]labels.State{}
	for _, who := range names {
		states[who] = set.States(who)
		p.List = append(p.List, labellerOf(who, states[who]))
	}
	sorting.Stable(p.List, func(a, b report.Labeller) int {
		return cmp.Or(cmp.Compare(asNumber(b.Name == by), asNumber(a.Name == by)), cmp.Compare(b.Random, a.Random))
	})
	rows := map[itemKey]*LabelRow{}
	for i := range p.List {
		person := &p.List[i]
		for _, st := range states[person.Name] {
			if use(rows, &st) {
				person.Used++
			}
			if r := rows[keyOfState(&st)]; r != nil && st.Blind.Given() {
				r.Said = append(r.Said, PersonLabel{person.Name, st.Rubric, st.Blind})
			}
		}
		for _, other := range p.List[:i] {
			pair, err := peoplePair(other.Name, person.Name, states[other.Name], states[person.Name], alpha)
			if err != nil {
				return nil, err
			}
			p.Pairs = append(p.Pairs, pair)
		}
	}
	for _, r := range rows {
		p.Rows = append(p.Rows, *r)
	}
	sorting.Stable(p.Rows, func(a, b LabelRow) int { return a.key().compare(b.key()) })
	return p, nil
}

// keyOfState returns the key of a state's item on a sheet.
func keyOfState(st *labels.State) itemKey {
	return newKey(sheetID(st.Conversation), st.Call, st.Turn, st.Scope)
}

func labellerOf(who string, states []labels.State) report.Labeller {
	l := report.Labeller{Name: who}
	for _, st := range states {
		switch {
		case st.Blind.Given():
			l.Random++
		case st.Label == labels.Defer:
			l.Deferred++
		case st.Label == "":
		case st.Frame == labels.Random:
			l.Revealed++
		default:
			l.Picked++
		}
	}
	return l
}

// use adds a label to the row of its item, unless the row has a label of the same kind.
func use(rows map[itemKey]*LabelRow, st *labels.State) bool {
	label, sample := st.Blind, RandomSample
	if label.Label == "" && st.Frame != labels.Random {
		label, sample = st.Answer, QueueSample
	}
	if !label.Given() {
		return false
	}
	key := keyOfState(st)
	r := rows[key]
	if r == nil {
		r = &LabelRow{ConversationID: key.conv, CallIndex: st.Call, Turn: st.Turn, Scope: st.Scope, Sample: sample,
			Probability: st.Probability, Rank: st.Rank, Seed: st.Seed, PerConversation: st.PerConversation,
			ByRubric: map[string]labels.Answer{}}
		rows[key] = r
	}
	_, known := r.ByRubric[st.Rubric]
	if r.Sample != sample || known || st.Rubric == "" && r.Whole.Given() {
		return false
	}
	r.Note = cmp.Or(r.Note, st.Note)
	if st.Rubric == "" {
		r.Whole = label
	} else {
		r.ByRubric[st.Rubric] = label
	}
	return true
}

// peoplePair returns the agreement of two people on the items of the random sample that both
// labelled blind: on verdicts, or on categories of rubrics without verdicts. Items that one of them
// calls not applicable are counted separately.
func peoplePair(a, b string, ofA, ofB []labels.State, alpha float64) (report.PeoplePair, error) {
	pair := report.PeoplePair{A: a, B: b}
	other := map[labels.Item]labels.Answer{}
	for _, st := range ofB {
		if st.Blind.Given() {
			other[st.Item] = st.Blind
		}
	}
	var x, y []float64
	var conversations []string
	numbers := answerNumbers{}
	for _, st := range ofA {
		said, both := other[st.Item]
		if !st.Blind.Given() || !both {
			continue
		}
		if na := labels.NotApplicable; st.Blind.Label == na || said.Label == na {
			if pair.NotApplicable++; st.Blind.Label == said.Label {
				pair.BothNotApplicable++
			}
			continue
		}
		pair.N++
		x, y = append(x, numbers.of(st.Blind)), append(y, numbers.of(said))
		pair.Agreed += int(asNumber(x[pair.N-1] == y[pair.N-1]))
		conversations = append(conversations, st.Conversation)
	}
	if pair.N == 0 {
		pair.Kappa = tooFew
		return pair, nil
	}
	pair.Conversations = len(slices.Compact(slices.Clone(conversations)))
	s := statistics{Alpha: alpha}
	both := columns{statistics: &s, Gold: x, Judge: y, Cluster: stat.ClusterIDs(conversations)}
	pair.Kappa = both.Kappa(numbers.scale(), raters.NoWeights)
	if err := s.Err(); err != nil {
		return pair, fmt.Errorf("agreement of %s and %s: %w", a, b, err)
	}
	return pair, nil
}

// answerNumbers numbers answers: 0 and 1 for verdicts, then categories without a verdict.
type answerNumbers map[string]float64

func (n answerNumbers) of(a labels.Answer) float64 {
	if passed := a.Verdict(); passed != nil {
		return asNumber(*passed)
	}
	if _, known := n[a.Category]; !known {
		n[a.Category] = float64(len(n) + len(verdictScale))
	}
	return n[a.Category]
}

func (n answerNumbers) scale() []float64 {
	return append(slices.Clone(verdictScale), slices.Sorted(maps.Values(n))...)
}

// ofRubric returns the labels for a rubric; if whole is set, a person's label of the whole call
// counts if the person gave none for the rubric.
func ofRubric(all []PersonLabel, rubric string, whole bool) []PersonLabel {
	var out []PersonLabel
	for _, s := range all {
		own := func(o PersonLabel) bool { return o.Who == s.Who && o.Rubric == rubric }
		if s.Rubric == rubric || whole && s.Rubric == "" && !slices.ContainsFunc(all, own) {
			out = append(out, s)
		}
	}
	return out
}

// people compares the judge with the people who labelled its items, if there are at least two.
func (e *estimator) people() {
	var names []string
	said := map[item][]PersonLabel{}
	for _, p := range e.all {
		of := ofRubric(e.labels[e.keyOf(p.of)].Said, e.Name, e.whole)
		for _, s := range of {
			if !slices.Contains(names, s.Who) {
				names = append(names, s.Who)
			}
		}
		if len(of) > 1 {
			said[p.of] = of
		}
	}
	if len(names) < 2 {
		return
	}
	c := e.verdicts(e.all)
	columns := make([][]float64, len(names))
	for k, who := range names {
		for _, p := range e.all {
			label := stat.Missing()
			for _, s := range said[p.of] {
				if passed := s.Verdict(); s.Who == who && passed != nil {
					label = asNumber(*passed)
				}
			}
			columns[k] = append(columns[k], label)
		}
	}
	if like, n := e.Likeness(columns, c.Judge, c.Cluster); n > 0 {
		e.row.People = &like
	}
}
