package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
)

// Query says which items the page requests from its data source, in which order, and which part of
// the list. The zero Query requests all items in log order.
type Query struct {
	// Terms lists the terms that an item must have, see terms.of.
	Terms []string `json:"terms"`
	// Text must occur, in any case, in the item (in Item.Text) or, in judge view, in its conversation.
	Text string `json:"text"`
	// Conversation is an id; "" means any.
	Conversation string `json:"conversation"`
	// Sort is failure, disagreement, tool, verdict or confidence; anything else means log order.
	// Down reverses the order.
	Sort string `json:"sort"`
	Down bool   `json:"down"`
	// Offset and Limit select a part of the list; Limit 0 means all.
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
}

// The values of the field show.
const (
	ShowFailing              = "failing" // calls
	ShowFailingConversations = "failing_conversations"
	ShowDisagreements        = "disagreements"
	ShowFlagged              = "flagged"
	ShowMissing              = "missing"
	ShowJudgesDiffer         = "judges_differ"
	// ShowChanged exists only in judge view with two runs.
	ShowChanged = "changed"
)

// terms numbers the terms of a run's items and counts the items with each term.
type terms struct {
	list    []string
	counts  []int
	numbers map[string]uint32
	buffer  []byte
	// single says that the run has only one rubric, about whole calls.
	single bool
}

// number returns the number of the term with these parts.
func (t *terms) number(parts ...string) uint32 {
	t.buffer = t.buffer[:0]
	for _, p := range parts {
		t.buffer = append(t.buffer, p...)
	}
	n, ok := t.numbers[string(t.buffer)]
	if !ok {
		n = uint32(len(t.list))
		t.list = append(t.list, string(t.buffer))
		t.numbers[t.list[n]], t.counts = n, append(t.counts, 0)
	}
	return n
}

// of returns the sorted numbers of an item's terms. Only this function knows the filter's rules:
// report.html and judge view just compare terms.
//
// A term is "field=value" with the field show, tool, group, verdict, flag or scorer; the value of
// scorer is "VERDICT NAME". The fields rubric, judge and verdict can be combined to ask about one
// score; such a term has one line for each of these fields that is named, in this order.
func (t *terms) of(i *Item) []uint32 {
	out := []uint32{t.number("verdict=", cmp.Or(i.Verdict, "none"))}
	when := func(ok bool, field, value string) {
		if ok {
			out = append(out, t.number(field, value))
		}
	}
	when(i.Tool != "", "tool=", i.Tool)
	when(i.Group != "", "group=", i.Group)
	when(i.Verdict == fail && i.Call != nil && i.Scope == "", "show=", ShowFailing)
	when(i.Verdict == fail && i.isWhole(), "show=", ShowFailingConversations)
	when(i.Disagreement > 0, "show=", ShowDisagreements)
	when(i.judgesDiffer(t.single), "show=", ShowJudgesDiffer)
	for k := range i.Scores {
		s := &i.Scores[k]
		verdict := cmp.Or(s.Verdict, "none")
		if s.Source == string(score.Judge) {
			out = append(out, t.number("rubric=", s.Name), t.number("rubric=", s.Name, "\nverdict=", verdict),
				t.number("judge=", s.Judge), t.number("judge=", s.Judge, "\nverdict=", verdict),
				t.number("rubric=", s.Name, "\njudge=", s.Judge),
				t.number("rubric=", s.Name, "\njudge=", s.Judge, "\nverdict=", verdict))
		} else if s.Status != string(score.NotApplicable) {
			out = append(out, t.number("scorer=", verdict, " ", s.Name))
		}
		when(s.Status == string(score.Unscored) || s.Status == string(score.Error), "show=", ShowMissing)
		when(len(s.Flags) > 0, "show=", ShowFlagged)
		for _, f := range s.Flags {
			out = append(out, t.number("flag=", f.Code))
		}
	}
	slices.Sort(out)
	return slices.Clip(slices.Compact(out))
}

// Wanted returns the numbers of a query's terms. A term that no item has gets a number that no item has.
func (t *terms) Wanted(q *Query) []uint32 {
	var out []uint32
	for _, term := range q.Terms {
		n, ok := t.numbers[term]
		if !ok {
			n = math.MaxUint32
		}
		out = append(out, n)
	}
	return out
}

// HasAll reports whether an item's terms include all wanted ones.
func HasAll(terms, wanted []uint32) bool {
	for _, n := range wanted {
		if !slices.Contains(terms, n) {
			return false
		}
	}
	return true
}

// Text returns the text that a search looks through: names, place and everything said about the
// item, in lower case.
func (i *Item) Text() string {
	texts := []string{i.Conversation, i.Tool, i.Place}
	for k := range i.Scores {
		s := &i.Scores[k]
		texts = append(texts, s.Explanation, s.Evidence, s.Problem, s.Label, s.Category)
	}
	return strings.ToLower(strings.Join(texts, "\n"))
}

// SortKeys holds the values by which an item can be sorted, named as in Item.
type SortKeys struct {
	Order, Failure, Disagreement int
	Tool, Verdict                string
	// Confidence is the highest confidence of a judge; -1 if none.
	Confidence float64
}

// SortKeys returns the values by which the item can be sorted.
func (i *Item) SortKeys() SortKeys {
	k := SortKeys{i.Order, i.Failure, i.Disagreement, i.Tool, i.Verdict, -1}
	for _, s := range i.Scores {
		if s.Source == string(score.Judge) && s.Confidence != nil {
			k.Confidence = max(k.Confidence, *s.Confidence)
		}
	}
	return k
}

// key returns the query's sort key: a number, then a word. Items without a rank come last.
func (q *Query) key(k *SortKeys) (number float64, word string) {
	rank := 0
	switch q.Sort {
	case "failure":
		rank = k.Failure
	case "disagreement":
		rank = k.Disagreement
	case "tool":
		return 0, k.Tool
	case "verdict":
		return 0, k.Verdict
	case "confidence":
		return k.Confidence, ""
	default:
		return 0, ""
	}
	if rank == 0 {
		return math.Inf(1), ""
	}
	return float64(rank), ""
}

// Part sorts the keys of the matching items and returns the part that the query requests.
func (q *Query) Part(keys []SortKeys) []SortKeys {
	slices.SortFunc(keys, func(x, y SortKeys) int {
		xNumber, xWord := q.key(&x)
		yNumber, yWord := q.key(&y)
		by := cmp.Or(cmp.Compare(xNumber, yNumber), cmp.Compare(xWord, yWord), cmp.Compare(x.Order, y.Order))
		if q.Down {
			return -by
		}
		return by
	})
	keys = keys[min(max(q.Offset, 0), len(keys)):]
	if q.Limit > 0 {
		keys = keys[:min(q.Limit, len(keys))]
	}
	return keys
}
