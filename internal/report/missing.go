package report

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report/document"
)

// Stop says that a judge was not asked any further by one rubric: its first judgements
// had all failed in the same way.
type Stop struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	// Judgements failed with Kind before it was stopped; Error is the first failure, at
	// Place, and Reply what had come there, "" where nothing had.
	Judgements int    `json:"judgements"`
	Kind       string `json:"kind"`
	Error      string `json:"error"`
	Place      string `json:"place"`
	Reply      string `json:"reply,omitempty"`
}

// maxReplyWords is how much of a reply a sentence shows, in characters.
const maxReplyWords = 600

// Words say what happened and what to do about it.
func (s *Stop) Words() string {
	text := fmt.Sprintf("%s was stopped on %s: its first %d judgements all failed, each as %s. The first, %s: %s.",
		s.Judge, s.Rubric, s.Judgements, s.Kind, s.Place, strings.TrimSuffix(s.Error, "."))
	if reply := strings.Join(strings.Fields(s.Reply), " "); reply != "" {
		text += " The reply was: " + Clip(reply, maxReplyWords)
		if !strings.HasSuffix(text, ".") {
			text += " ."
		}
	}
	return text + " What to do: " + advice(s.Kind) + "."
}

// advice is what a person can do about judgements that all fail with a kind.
func advice(kind string) string {
	switch kind {
	case "invalid_json", "schema_violation":
		return "judge doctor shows what the endpoint makes of the schema; a larger model, another transport: or coerce_numbers: may help"
	case "truncated", "whitespace_loop":
		return "raise max_tokens: in the configuration, or take another transport:"
	case "truncated_in_thought":
		return "raise reasoning_tokens: in the configuration, or turn the model's thinking off where judge doctor says how"
	case "refusal":
		return "the model or its service declines these records; take another model, or look at one record with judge show"
	case "context_cut", "context":
		return "raise the context size of the server; judge doctor says how"
	case "canary":
		return "the model repeats its instructions; take another model"
	}
	return "see what the endpoint says, and check it with judge doctor"
}

// MissingWords break the missing scores down by kind, with the first failure of each.
func (r *Report) MissingWords() []string {
	var out []string
	for _, s := range r.Stopped {
		out = append(out, s.Words())
	}
	for _, source := range []string{"judge", "deterministic"} {
		total := 0
		var kinds, first []string
		for _, k := range r.Counts.Unscored {
			if k.Source != source {
				continue
			}
			total += k.Count
			kinds = append(kinds, fmt.Sprintf("%d %s", k.Count, k.Kind))
			if k.First != "" && k.Kind != "stopped" && len(first) < 5 {
				first = append(first, "first "+k.Kind+": "+Clip(k.First, 300))
			}
		}
		if total == 0 {
			continue
		}
		what := document.Count(total, "judgement is missing", "judgements are missing")
		if source != "judge" {
			what = document.Count(total, "score of a deterministic scorer is missing", "scores of deterministic scorers are missing")
		}
		text := what + ": " + strings.Join(kinds, ", ")
		if len(first) > 0 {
			text += "; " + strings.Join(first, "; ")
		}
		out = append(out, strings.TrimSuffix(text, ".")+".")
	}
	return out
}
