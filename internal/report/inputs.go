package report

import (
	"iter"

	"github.com/judgekit/judge/internal/score"
)

// Inputs is what a report is built from.
type Inputs struct {
	Manifest Manifest
	// Scores starts a pass over all scores of the run; Build makes two.
	Scores func() iter.Seq2[score.Score, error]
	// Identity says what a conversation is by its content, so that Compare can pair
	// two runs whose ids differ; it must be distinct for distinct conversations of
	// one run. Nil takes the id. Build does not use it.
	Identity func(conversationID string) string
	// Call gives, together with Identity, the number that a call has in the other run,
	// one that no call there has where it is in this run alone. Nil keeps its own.
	Call func(conversationID string, callIndex int) int
}
