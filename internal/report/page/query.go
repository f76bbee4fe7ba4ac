package page

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
)

// Query is what the page asks its data source for: which items, in which order, and
// which part of the list. The zero Query asks for all items. The scripts apply the same
// rules to the items that a file holds.
type Query struct {
	// Show is failing (calls), failing_conversations, disagreements, flagged, missing, or ""
	// for all.
	Show string `json:"show"`
	// Tool, Rubric, Judge and Flag are names, "" for any.
	Tool   string `json:"tool"`
	Rubric string `json:"rubric"`
	Judge  string `json:"judge"`
	Flag   string `json:"flag"`
	// Verdict is pass, fail or none: of the rubric where one is named, else of the item.
	Verdict string `json:"verdict"`
	// Scorer is a scorer or label, ScorerVerdict its verdict, "" for any.
	Scorer        string `json:"scorer"`
	ScorerVerdict string `json:"scorer_verdict"`
	// Text is to be found, in any case, in the ids, tools, explanations and evidence of an
	// item, or in its conversation where the source can search those.
	Text string `json:"text"`
	// Conversation is an id, "" for any.
	Conversation string `json:"conversation"`
	// Sort is rank (of failing items the order of the report, else the strongest disagreement
	// first), order (of the log), tool, verdict or confidence; Down turns the order round.
	Sort string `json:"sort"`
	Down bool   `json:"down"`
	// Offset and Limit cut out a part of the list; Limit 0 is all.
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
}

// The values of Show.
const (
	ShowFailing              = "failing"
	ShowFailingConversations = "failing_conversations"
	ShowDisagreements        = "disagreements"
	ShowFlagged              = "flagged"
	ShowMissing              = "missing"
)

// Match reports whether an item is asked for. inConversation says whether the text of the
// query is in the item's conversation; nil where that is not searched.
func (q *Query) Match(i *Item, inConversation func(*Item) bool) bool {
	return (q.Conversation == "" || i.Conversation == q.Conversation) && (q.Tool == "" || i.Tool == q.Tool) &&
		q.shown(i) && q.judged(i) && q.scored(i) && (q.Flag == "" || i.hasFlag(q.Flag)) &&
		(q.Text == "" || i.contains(strings.ToLower(q.Text)) || inConversation != nil && inConversation(i))
}

func (q *Query) shown(i *Item) bool {
	switch q.Show {
	case ShowFailing:
		return i.Verdict == fail && i.Call != nil
	case ShowFailingConversations:
		return i.Verdict == fail && i.Call == nil
	case ShowDisagreements:
		return i.Disagreement > 0
	case ShowFlagged:
		return i.hasFlag("")
	case ShowMissing:
		return slices.ContainsFunc(i.Scores, Score.missing)
	}
	return true
}

// missing reports whether a value was wanted and is not there.
func (s Score) missing() bool {
	return s.Status == string(score.Unscored) || s.Status == string(score.Error)
}

// applies reports whether the instrument had anything to say of the item.
func (s Score) applies() bool { return s.Status != string(score.NotApplicable) }

// judged compares rubric, judge and verdict.
func (q *Query) judged(i *Item) bool {
	if q.Rubric == "" && q.Judge == "" {
		return is(i.Verdict, q.Verdict)
	}
	return slices.ContainsFunc(i.Scores, func(s Score) bool {
		return s.Source == string(score.Judge) && (q.Rubric == "" || s.Name == q.Rubric) &&
			(q.Judge == "" || s.Judge == q.Judge) && is(s.Verdict, q.Verdict)
	})
}

func (q *Query) scored(i *Item) bool {
	return q.Scorer == "" || slices.ContainsFunc(i.Scores, func(s Score) bool {
		return s.Source != string(score.Judge) && s.Name == q.Scorer && s.applies() && is(s.Verdict, q.ScorerVerdict)
	})
}

// is compares a verdict with the one that is asked for, where "none" is no verdict and "" any.
func is(verdict, wanted string) bool { return wanted == "" || cmp.Or(verdict, "none") == wanted }

// hasFlag reports whether a score of the item has the flag, "" for any.
func (i *Item) hasFlag(code string) bool {
	return slices.ContainsFunc(i.Scores, func(s Score) bool {
		return slices.ContainsFunc(s.Flags, func(f Flag) bool { return code == "" || f.Code == code })
	})
}

// contains looks for a text in lower case.
func (i *Item) contains(text string) bool {
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	return has(i.Conversation) || has(i.Tool) || has(i.Place) || strings.Contains(i.Said(), text)
}

// Said is what people look for in what was said of an item, in lower case.
func (i *Item) Said() string {
	var b strings.Builder
	for k := range i.Scores {
		s := &i.Scores[k]
		for _, text := range []string{s.Explanation, s.Evidence, s.Problem, s.Label} {
			if text != "" {
				b.WriteString(text)
				b.WriteByte('\n')
			}
		}
	}
	return strings.ToLower(b.String())
}

// Key is what an item is sorted by; Item is its place in the log.
type Key struct {
	Number float64
	Word   string
	Item   int
}

// Key is what the query sorts an item by.
func (q *Query) Key(i *Item) Key {
	k := Key{Item: i.Order}
	switch q.Sort {
	case "rank":
		k.Number = q.rank(i)
	case "tool":
		k.Word = i.Tool
	case "verdict":
		k.Word = i.Verdict
	case "confidence":
		k.Number = i.Confidence()
	}
	return k
}

// rank is the place of an item among the fails or the disagreements, those without one
// behind.
func (q *Query) rank(i *Item) float64 {
	rank := i.Disagreement
	if q.Show == ShowFailing || q.Show == ShowFailingConversations {
		rank = i.Failure
	}
	if rank == 0 {
		return math.Inf(1)
	}
	return float64(rank)
}

// Confidence is the highest that a judge claims, -1 for none.
func (i *Item) Confidence() float64 {
	most := -1.0
	for _, s := range i.Scores {
		if s.Source == string(score.Judge) && s.Confidence != nil {
			most = max(most, *s.Confidence)
		}
	}
	return most
}

// Part sorts the keys of the items that match, and is the part that the query asks for.
func (q *Query) Part(keys []Key) []Key {
	slices.SortFunc(keys, func(x, y Key) int {
		by := cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Word, y.Word), cmp.Compare(x.Item, y.Item))
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
