package page

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// Item is one judged call, or a conversation as a whole, with all that was said of it.
// It is the row of the page's table. All texts are made visible and are bounded.
type Item struct {
	// Conversation is the id, Call the 0-based call, nil for a turn and the conversation as a whole.
	// Scope is result for a call with its result and turn for the Turn-th turn, from 1, else "".
	Conversation string `json:"conversation"`
	Call         *int   `json:"call"`
	Turn         int    `json:"turn,omitempty"`
	Scope        string `json:"scope,omitempty"`
	Tool         string `json:"tool,omitempty"`
	// Place says where in the logs it is, as "support.jsonl:3".
	Place string `json:"place,omitempty"`
	// Order counts the items of the run in log order, from 0.
	Order int `json:"order"`
	// Verdict holds the verdict of the instrument that leads at this level (see Reading): pass, fail, or
	// "" for none; Why its reason in a line.
	Verdict string `json:"verdict,omitempty"`
	Why     string `json:"why,omitempty"`
	// Answer is the category of an item without a verdict, or says that the question does not apply.
	Answer string `json:"answer,omitempty"`
	// JudgeSays is the verdict of Judge: of the first judge's overall rubric, of a conversation
	// that of all its calls together. ReferenceSays is that of Reference, the strongest of the
	// rubric's own references that decides the item. Of a disagreement they are the two that
	// contradict each other. "" for none.
	JudgeSays     string `json:"judge_says,omitempty"`
	Judge         string `json:"judge,omitempty"`
	ReferenceSays string `json:"reference_says,omitempty"`
	Reference     string `json:"reference,omitempty"`
	// Failure is the rank among the fails that the report lists, from 1; 0 for none.
	Failure int `json:"failure,omitempty"`
	// Disagreement is the rank among all items on which a judge and a reference decide
	// differently, from 1; 0 for none.
	Disagreement int `json:"disagreement,omitempty"`
	// Group is the id of the group of failing calls that it is in, "" for none.
	Group string `json:"group,omitempty"`
	// Expected is the expected call that a scorer paired this call with, nil for none.
	Expected *int    `json:"expected,omitempty"`
	Scores   []Score `json:"scores"`
	// Terms lists what the filter finds the item by, as numbers of Data.Terms. It is nil in judge
	// view, whose server filters.
	Terms []uint32 `json:"terms,omitempty"`
	// Calls are the verdicts of the first calls of a conversation as a whole.
	Calls []CallVerdict `json:"calls,omitempty"`
	// whole is the item of the call's conversation, nil if it has no scores.
	whole *Item
	// opposed says who disagrees on the item, reference the place of Reference.
	opposed   *report.Opposed
	why       groups.Failure
	reference int
}

// CallVerdict is the verdict of one call, as Item has it.
type CallVerdict struct {
	Call    int    `json:"call"`
	Tool    string `json:"tool,omitempty"`
	Verdict string `json:"verdict,omitempty"`
}

// Score holds the judgement of one instrument on an item.
type Score struct {
	// Source is judge, deterministic or label; Name the rubric, scorer or label, with its
	// metric as "name.metric".
	Source string `json:"source"`
	Name   string `json:"name"`
	Judge  string `json:"judge,omitempty"`
	// Status is scored, unscored, not_applicable or error. Value is nil unless scored, on
	// the instrument's own scale.
	Status string   `json:"status"`
	Value  *float64 `json:"value,omitempty"`
	// Verdict is pass, fail, or "" if there is no verdict.
	Verdict string `json:"verdict,omitempty"`
	// Category is the answer of a rubric with categories.
	Category    string   `json:"category,omitempty"`
	Confidence  *float64 `json:"confidence,omitempty"`
	Label       string   `json:"label,omitempty"`
	Explanation string   `json:"explanation,omitempty"`
	Evidence    string   `json:"evidence,omitempty"`
	// Quotes are the parts of the evidence that are to be found in the conversation.
	Quotes []string `json:"quotes,omitempty"`
	// Correction is the judge's corrected call, nil for none.
	Correction *CallText `json:"correction,omitempty"`
	Flags      []Flag    `json:"flags,omitempty"`
	// Problem says why there is no value.
	Problem string `json:"problem,omitempty"`
	// extra marks a score with a purpose of its own, such as a retest.
	extra bool
}

// Flag is something that was noticed about a score; severity 2 escalates.
type Flag struct {
	Code     string `json:"code"`
	Severity int    `json:"severity"`
	Detail   string `json:"detail,omitempty"`
}

// The bounds of the texts of an item, in characters.
const (
	maxName   = 200
	maxReason = 1500
	maxWhy    = 240
	maxQuotes = 12
	// maxCalls bounds the verdicts of calls beside a conversation.
	maxCalls = 200
)

// The verdicts.
const (
	pass = "pass"
	fail = "fail"
)

// newScore returns a score without its texts, decided as the report decided it.
func newScore(s *score.Score) Score {
	out := Score{
		Source: string(s.Source), Name: name(report.Instrument{Name: s.Name, Metric: s.Metric}.Title()),
		Judge: name(s.Judge), Status: string(s.Status), Value: s.Value, Verdict: verdict(measure.VerdictOf(s)),
		Confidence: s.Confidence, Category: name(s.Category), extra: s.Purpose != "",
	}
	if out.Category != "" && out.Verdict == "" {
		out.Value = nil // the place of the category is not a number
	}
	for _, f := range s.Flags {
		out.Flags = append(out.Flags, Flag{Code: name(f.Code), Severity: f.Severity})
	}
	return out
}

// addTexts adds what was said of the item.
func (out *Score) addTexts(s *score.Score) {
	if out.Label = name(s.Label); out.Label == out.Verdict {
		out.Label = ""
	}
	out.Explanation, out.Evidence = lines(s.Explanation, maxReason), lines(s.Evidence, maxReason)
	out.Quotes, out.Correction = quotes(s.Evidence), correctionOf(s)
	for k, f := range s.Flags {
		out.Flags[k].Detail = lines(f.Detail, maxWhy)
	}
	if s.Error != nil {
		out.Problem = lines(s.Error.Kind+": "+s.Error.Message, maxReason)
	}
}

func verdict(passed *bool) string {
	switch {
	case passed == nil:
		return ""
	case *passed:
		return pass
	}
	return fail
}

// quotes returns what judges quote from the item's conversation.
func (i *Item) quotes() (out []string) {
	for k := range i.Scores {
		out = append(out, i.Scores[k].Quotes...)
	}
	return out
}

// quotes returns the parts of evidence as the conversation's texts show them.
func quotes(evidence string) []string {
	var out []string
	for _, q := range quotesOf(evidence) {
		if q = lines(q, maxReason); !slices.Contains(out, q) && len(out) < maxQuotes {
			out = append(out, q)
		}
	}
	return out
}

// correctionOf returns the call that a judge's correction amounts to, or the correction as it was
// given.
func correctionOf(s *score.Score) *CallText {
	if call := s.Details.Field("corrected_call"); call.Has("name") {
		return &CallText{Tool: name(call.Field("name").Text()), Arguments: arguments(call.Field("parameters"), maxReason)}
	}
	if s.Correction.Len() == 0 {
		return nil
	}
	return &CallText{Arguments: arguments(s.Correction, maxReason)}
}

// name returns a short text in one line.
func name(text string) string { return clean(value.Visible(value.Excerpt(text, maxName))) }

// lines returns a text of several lines, of most characters at most.
func lines(text string, most int) string { return clean(value.VisibleLines(value.Excerpt(text, most))) }

// line returns a text in one line, of most characters at most.
func line(text string, most int) string { return clean(value.Visible(value.Excerpt(text, most))) }

// clean returns a valid copy of a text that does not keep the line of the score in memory.
func clean(text string) string {
	if !utf8.ValidString(text) {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.Clone(text)
}
