package measure_test

import (
	"fmt"
	"math"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

// The names in the runs of the simulation.
const (
	judgeName  = "j"
	rubricName = "overall"
	labelName  = "human"
	tools      = 6
)

// inputs returns the calls of a sample as a run whose judge gave these verdicts; each call is of
// one of six tools in turn.
func (s *sample) inputs(verdict []float64) report.Inputs {
	var scores []score.Score
	confidence := s.confidence()
	for i, v := range verdict {
		call := score.Score{
			ConversationID: conversation(s.cluster[i]), CallIndex: new(i), Tool: fmt.Sprint("tool", i%tools),
			Status: score.Scored,
		}
		says := call
		says.Name, says.Source, says.Judge = rubricName, score.Judge, judgeName
		says.Value, says.Passed, says.Confidence = new(v), new(v == 1), &confidence[i]
		label := call
		label.Name, label.Source = labelName, score.Label
		label.Value, label.Passed = new(s.gold[i]), new(s.gold[i] == 1)
		scores = append(scores, says, label)
	}
	return report.Inputs{Scores: reporttest.Each(scores), Manifest: report.Manifest{
		RunID: "world", Judges: []report.Judge{{Name: judgeName, Model: judgeName, Asked: true}},
		Rubrics: []report.Rubric{{Name: rubricName, SHA: "1", Max: 1, Low: new(0.7)}},
	}}
}

// confidence returns the judge's confidence in 0.5..1: the more, the further its score is from the cut.
func (s *sample) confidence() []float64 {
	out := make([]float64, len(s.sure))
	for i, distance := range s.sure {
		out[i] = 1 - 0.5*math.Exp(-2*distance)
	}
	return out
}

func conversation(cluster int) string { return fmt.Sprintf("c%05d", cluster) }

// table are gold and the three judges as a table for judge agree, with ratings and scores.
func (s *sample) table() string {
	var b strings.Builder
	b.WriteString("conversation,gold,first,second,third,goldrating,rating,score,sure\n")
	confidence := s.confidence()
	for i := range s.gold {
		fmt.Fprintf(&b, "%d,%g,%g,%g,%g,%g,%g,%.6f,%.6f\n", s.cluster[i], s.gold[i], s.judge[i], s.second[i],
			s.third[i], s.goldRating[i], s.rating[i], s.score[i], confidence[i])
	}
	return b.String()
}

// worsened turns a share of passes, evenly spread over the calls of a tool, into fails.
func worsened(verdict []float64, share float64, tool func(i int) bool) []float64 {
	out, due := append([]float64{}, verdict...), 0.0
	for i, v := range verdict {
		if v == 1 && tool(i) {
			if due += share; due >= 1 {
				out[i], due = 0, due-1
			}
		}
	}
	return out
}
