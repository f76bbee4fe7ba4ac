package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/agreement/answer"
)

// Record is the part of a log that a disagreement is about, so that a report can be
// read without its logs. Texts are as logged: the renderer makes them safe.
type Record struct {
	// Problem says why there is no excerpt, "" where there is one.
	Problem string `json:"problem,omitempty"`
	// Messages is how many messages the conversation has.
	Messages int `json:"messages,omitempty"`
	// Lines are in log order; SkippedAfter counts the lines left out behind the last.
	Lines        []RecordLine `json:"lines,omitempty"`
	SkippedAfter int          `json:"skipped_after,omitempty"`
}

// RecordLine is a message, one call of a message, or the definition of a tool.
type RecordLine struct {
	// Kind is message, call, result or definition.
	Kind string `json:"kind"`
	// Skipped counts the lines left out in front of this one.
	Skipped int `json:"skipped,omitempty"`
	// Message is the 0-based message of the conversation, -1 for a definition.
	Message int    `json:"message"`
	Role    string `json:"role,omitempty"`
	Tool    string `json:"tool,omitempty"`
	// Call is the index of the call that is made or answered.
	Call *int `json:"call,omitempty"`
	// Text is a message's text, a call's arguments as written, or a definition.
	// Cut counts the characters left out of it; their places hold "…".
	Text string `json:"text"`
	Cut  int    `json:"cut,omitempty"`
	// Focus marks the call that was judged, Unseen what its judge was not shown.
	Focus  bool `json:"focus,omitempty"`
	Unseen bool `json:"unseen,omitempty"`
}

// The kinds of a RecordLine.
const (
	MessageLine    = "message"
	CallLine       = "call"
	ResultLine     = "result"
	DefinitionLine = "definition"
)

const (
	// maxQuotes bounds the quotes that are looked up for one disagreement.
	maxQuotes = 24
	// quoteContext is what stays on each side of a quote in a text that is cut.
	quoteContext = 120
	// MaxRecords bounds the records of a report together, in bytes of its JSON.
	MaxRecords = 1 << 20
)

// Focus is the call that a disagreement is about: its own, or the one that decided
// the conversation, by the overall rubric where it conflicts, else by the first that
// does. It is nil where the judge judged the conversation as a whole.
func (d *Disagreement) Focus() *int {
	if d.CallIndex != nil {
		return d.CallIndex
	}
	var best *Side
	most := 0.0
	for i := range d.Judgements {
		s := &d.Judgements[i]
		rank := Scope(s.Name, false, true)
		if s.Conflicts {
			rank += 2
		}
		if s.CallIndex != nil && rank > most {
			best, most = s, rank
		}
	}
	if best == nil {
		return nil
	}
	return best.CallIndex
}

// Quotes are the texts that the sides of a disagreement quote as evidence, in their
// order, each once.
func (d *Disagreement) Quotes() []string {
	var out []string
	for _, s := range slices.Concat(d.Judgements, d.References) {
		for _, part := range QuotesOf(s.Evidence) {
			if !slices.Contains(out, part) && len(out) < maxQuotes {
				out = append(out, part)
			}
		}
	}
	return out
}

// QuotesOf are the texts that evidence quotes. A quote with an ellipsis counts as its parts;
// single characters do not count.
func QuotesOf(evidence string) []string {
	var out []string
	for _, q := range answer.Ground(evidence, nil, answer.GroundingRule{}).Quotes {
		for part := range strings.SplitSeq(strings.ReplaceAll(q, "…", "..."), "...") {
			if part = strings.TrimSpace(part); utf8.RuneCountInString(part) > 1 {
				out = append(out, part)
			}
		}
	}
	return out
}

// FindQuote returns the byte offsets of the first place in text, from byte from on,
// where quote occurs as whole words, in any ASCII case; ok is false where there is
// none.
func FindQuote(text, quote string, from int) (start, end int, ok bool) {
	if quote == "" || from > len(text) {
		return 0, 0, false
	}
	low, q := lowerASCII(text[from:]), lowerASCII(quote)
	for at := 0; ; {
		i := strings.Index(low[at:], q)
		if i < 0 {
			return 0, 0, false
		}
		start, end = from+at+i, from+at+i+len(q)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !wordRune(before) && !wordRune(after) {
			return start, end, true
		}
		at += i + 1
	}
}

func wordRune(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// lowerASCII keeps the length in bytes, so that offsets stay true.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// BoundRecords drops the records of the lower ranks once those above them fill max
// bytes of JSON, and says so in their place.
func (d *Disagreements) BoundRecords(max int) {
	spent := 0
	for i := range d.Items {
		r := d.Items[i].Record
		if r == nil || r.Problem != "" {
			continue
		}
		if spent < max {
			text, err := json.Marshal(r)
			if err != nil {
				d.Items[i].Record = &Record{Problem: "the record cannot be written: " + err.Error()}
				continue
			}
			spent += len(text)
		}
		if spent >= max {
			d.Items[i].Record = &Record{Problem: fmt.Sprintf(
				"left out: the records of the disagreements above fill the %d KiB that a report keeps", max>>10)}
		}
	}
}

// Scope says how much of a call a rubric judges. An overall verdict answers for
// everything; one aspect that passes says nothing about the others. only
// is set where the judge has no other rubric, passed where it passes; 0..1.
func Scope(rubric string, only, passed bool) float64 {
	if only || IsOverall(rubric) {
		return 1
	}
	if passed {
		return 0.3
	}
	return 0.8
}
