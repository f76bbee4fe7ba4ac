package measure

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
)

// People are the labels of a labels.jsonl as rows of a sheet, and the people they are of.
type People struct {
	Rows  []LabelRow
	List  []report.Labeller
	Pairs []report.PeoplePair
}

// RowsOfLabels reads what people said. A label of the random frame enters as Random only
// if it was given blind. Where several labelled one item, the label of the one with
// more random labels counts, or of the one named by; an unknown name is an error.
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
	slices.SortStableFunc(p.List, func(a, b report.Labeller) int {
		return cmp.Or(cmp.Compare(asNumber(b.Name == by), asNumber(a.Name == by)), cmp.Compare(b.Random, a.Random))
	})
	rows := map[itemKey]*LabelRow{}
	for i := range p.List {
		person := &p.List[i]
		for _, st := range states[person.Name] {
			if use(rows, &st) {
				person.Used++
			}
			if r := rows[itemKey{sheetID(st.Conversation), st.Call}]; r != nil && decidedBlind(&st) {
				r.Said = append(r.Said, PersonLabel{person.Name, st.Rubric, st.Blind == labels.Pass})
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
	slices.SortFunc(p.Rows, func(a, b LabelRow) int { return a.key().compare(b.key()) })
	return p, nil
}

// decidedBlind reports whether a person labelled an item blind in the random order.
func decidedBlind(st *labels.State) bool { return st.Blind == labels.Pass || st.Blind == labels.Fail }

func labellerOf(who string, states []labels.State) report.Labeller {
	l := report.Labeller{Name: who}
	for _, st := range states {
		switch {
		case decidedBlind(&st):
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

// use puts a label into the row of its item, unless one of its kind is there.
func use(rows map[itemKey]*LabelRow, st *labels.State) bool {
	label, sample := st.Blind, RandomSample
	if label == "" && st.Frame != labels.Random {
		label, sample = st.Label, QueueSample
	}
	if label != labels.Pass && label != labels.Fail {
		return false
	}
	key := itemKey{sheetID(st.Conversation), st.Call}
	r := rows[key]
	if r == nil {
		r = &LabelRow{ConversationID: key.conv, CallIndex: key.call, Sample: sample, Probability: st.Probability,
			Rank: st.Rank, Seed: st.Seed, PerConversation: st.PerConversation, ByRubric: map[string]bool{}}
		rows[key] = r
	}
	_, known := r.ByRubric[st.Rubric]
	if r.Sample != sample || known || st.Rubric == "" && r.Passed != nil {
		return false
	}
	r.Note = cmp.Or(r.Note, st.Note)
	if passed := label == labels.Pass; st.Rubric == "" {
		r.Passed = &passed
	} else {
		r.ByRubric[st.Rubric] = passed
	}
	return true
}

// peoplePair returns the agreement of two people on what both decided blind in the random frame.
func peoplePair(a, b string, ofA, ofB []labels.State, alpha float64) (report.PeoplePair, error) {
	pair := report.PeoplePair{A: a, B: b}
	other := map[labels.Item]string{}
	for _, st := range ofB {
		if decidedBlind(&st) {
			other[st.Item] = st.Blind
		}
	}
	var x, y []float64
	var conversations []string
	for _, st := range ofA {
		said, both := other[st.Item]
		if !decidedBlind(&st) || !both {
			continue
		}
		pair.N++
		if said == st.Blind {
			pair.Agreed++
		}
		x, y = append(x, asNumber(st.Blind == labels.Pass)), append(y, asNumber(said == labels.Pass))
		conversations = append(conversations, st.Conversation)
	}
	if pair.N == 0 {
		pair.Kappa = tooFew
		return pair, nil
	}
	pair.Conversations = len(slices.Compact(slices.Clone(conversations)))
	s := statistics{Alpha: alpha}
	pair.Kappa = columns{statistics: &s, Gold: x, Judge: y, Cluster: stat.ClusterIDs(conversations)}.VerdictKappa()
	if err := s.Err(); err != nil {
		return pair, fmt.Errorf("agreement of %s and %s: %w", a, b, err)
	}
	return pair, nil
}

// ofRubric returns the labels of a rubric; where whole holds, a person's label of the whole
// counts if that person gave none of its own.
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

// people compares the judge with the people who labelled it, if there are two or more.
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
				if s.Who == who {
					label = asNumber(s.Passed)
				}
			}
			columns[k] = append(columns[k], label)
		}
	}
	if like, n := e.Likeness(columns, c.Judge, c.Cluster); n > 0 {
		e.row.People = &like
	}
}
