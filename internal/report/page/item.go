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

// Item is one judged call, turn or whole conversation, with everything said about it. It is a row
// of the page's table. Invisible characters are made visible, and texts are limited.
type Item struct {
	// Conversation is the id. Call is the 0-based call, nil for a turn and for the whole conversation. Scope is
	// result for a call with its result, turn for the Turn-th turn (from 1), else "".
	Conversation string `json:"conversation"`
	Call         *int   `json:"call"`
	Turn         int    `json:"turn,omitempty"`
	Scope        string `json:"scope,omitempty"`
	Tool         string `json:"tool,omitempty"`
	// Place is the item's place in the logs, such as "support.jsonl:3".
	Place string `json:"place,omitempty"`
	// Order is the item's index in log order, from 0.
	Order int `json:"order"`
	// Verdict is the verdict of the leading instrument at this level (see Reading): pass, fail, or
	// "" if none. Why is its reason in one line.
	Verdict string `json:"verdict,omitempty"`
	Why     string `json:"why,omitempty"`
	// Answer is the category of an item without a verdict, or says that the question does not apply.
	Answer string `json:"answer,omitempty"`
	// JudgeSays is Judge's verdict: of the first judge's overall rubric; for a conversation, over all its
	// calls. ReferenceSays is the verdict of Reference, the strongest of the rubric's references that decides
	// the item. In a disagreement they are the two that contradict each other. "" means no verdict.
	JudgeSays     string `json:"judge_says,omitempty"`
	Judge         string `json:"judge,omitempty"`
	ReferenceSays string `json:"reference_says,omitempty"`
	Reference     string `json:"reference,omitempty"`
	// Failure is the item's rank among the listed fails, from 1; 0 if it is not listed.
	Failure int `json:"failure,omitempty"`
	// Disagreement is the item's rank among all disagreements of judges and references, from 1; 0
	// if none.
	Disagreement int `json:"disagreement,omitempty"`
	// Group is the id of the item's group of failing calls; "" if it has none.
	Group string `json:"group,omitempty"`
	// Expected is the index of the expected call with which a scorer paired this call; nil if none.
	Expected *int    `json:"expected,omitempty"`
	Scores   []Score `json:"scores"`
	// Terms lists the terms by which the filter finds the item, as indexes into Data.Terms. It is
	// nil in judge view, whose server filters.
	Terms []uint32 `json:"terms,omitempty"`
	// Calls holds the verdicts of the first calls, for a whole conversation.
	Calls []CallVerdict `json:"calls,omitempty"`
	// whole is the item of the call's whole conversation; nil if that has no scores.
	whole *Item
	// opposed holds who disagrees about the item, reference the rank of Reference.
	opposed   *report.Opposed
	why       groups.Failure
	reference int
}

// CallVerdict is the verdict of one call, as in Item.
type CallVerdict struct {
	Call    int    `json:"call"`
	Tool    string `json:"tool,omitempty"`
	Verdict string `json:"verdict,omitempty"`
}

// Score is one instrument's judgement of an item.
type Score struct {
	// Source is judge, deterministic or label. Name is the rubric, scorer or label, with a metric
	// as "name.metric".
	Source string `json:"source"`
	Name   string `json:"name"`
	Judge  string `json:"judge,omitempty"`
	// Status is scored, unscored, not_applicable or error. Value is on the instrument's own scale,
	// nil unless scored.
	Status string   `json:"status"`
	Value  *float64 `json:"value,omitempty"`
	// Verdict is pass, fail, or "" if none.
	Verdict string `json:"verdict,omitempty"`
	// Category is the answer to a rubric with categories.
	Category    string   `json:"category,omitempty"`
	Confidence  *float64 `json:"confidence,omitempty"`
	Label       string   `json:"label,omitempty"`
	Explanation string   `json:"explanation,omitempty"`
	Evidence    string   `json:"evidence,omitempty"`
	// Quotes holds the parts of the evidence to search for in the conversation.
	Quotes []string `json:"quotes,omitempty"`
	// Correction is the judge's corrected call; nil if none.
	Correction *CallText `json:"correction,omitempty"`
	Flags      []Flag    `json:"flags,omitempty"`
	// Problem says why there is no value.
	Problem string `json:"problem,omitempty"`
	// extra marks a score with another purpose, such as a retest.
	extra bool
}

// Flag is a remark on a score; severity 2 escalates.
type Flag struct {
	Code     string `json:"code"`
	Severity int    `json:"severity"`
	Detail   string `json:"detail,omitempty"`
}

// The limits of an item's texts, in characters.
const (
	maxName   = 200
	maxReason = 1500
	maxWhy    = 240
	maxQuotes = 12
	// maxCalls limits the verdicts of calls for a conversation.
	maxCalls = 200
)

// The verdicts.
const (
	pass = "pass"
	fail = "fail"
)

// newScore returns a score without its texts, with the report's verdict.
func newScore(s *score.Score) Score {
	out := Score{
		Source: string(s.Source), Name: name(report.Instrument{Name: s.Name, Metric: s.Metric}.Title()),
		Judge: name(s.Judge), Status: string(s.Status), Value: s.Value, Verdict: verdict(measure.VerdictOf(s)),
		Confidence: s.Confidence, Category: name(s.Category), extra: s.Purpose != "",
	}
	if out.Category != "" && out.Verdict == "" {
		out.Value = nil // the value is the index of the category, not a number
	}
	for _, f := range s.Flags {
		out.Flags = append(out.Flags, Flag{Code: name(f.Code), Severity: f.Severity})
	}
	return out
}

// addTexts adds the texts about the item.
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

// quotes returns the parts of evidence in the form in which the page shows the conversation.
func quotes(evidence string) []string {
	var out []string
	for _, q := range quotesOf(evidence) {
		if q = lines(q, maxReason); !slices.Contains(out, q) && len(out) < maxQuotes {
			out = append(out, q)
		}
	}
	return out
}

// correctionOf returns the call that results from a judge's correction, or else the correction itself.
func correctionOf(s *score.Score) *CallText {
	if call := s.Details.Field("corrected_call"); call.Has("name") {
		return &CallText{Tool: name(call.Field("name").Text()), Arguments: arguments(call.Field("parameters"), maxReason)}
	}
	if s.Correction.Len() == 0 {
		return nil
	}
	return &CallText{Arguments: arguments(s.Correction, maxReason)}
}

// name returns a short text on one line.
func name(text string) string { return clean(value.Visible(value.Excerpt(text, maxName))) }

// lines returns a text with several lines, at most most characters long.
func lines(text string, most int) string { return clean(value.VisibleLines(value.Excerpt(text, most))) }

// line returns a text on one line, at most most characters long.
func line(text string, most int) string { return clean(value.Visible(value.Excerpt(text, most))) }

// clean returns a valid copy of a text, which does not keep the score's line in memory.
func clean(text string) string {
	if !utf8.ValidString(text) {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.Clone(text)
}
