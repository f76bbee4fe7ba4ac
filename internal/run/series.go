package run

import (
	"maps"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// Parts returns the digests of what a task's judgements depend on besides the logs: those of the
// run's identity, before anything is known about the endpoints.
func (t *Task) Parts() (map[string]string, error) {
	s, err := t.resolve()
	if err != nil {
		return nil, err
	}
	_, parts := s.identify(&s.Team)
	maps.DeleteFunc(parts, func(name, _ string) bool { return name == "inputs" })
	return parts, nil
}

// Requests returns how many requests a conversation takes at most if no answer has to be repaired.
func (t *Task) Requests(c *transcript.Conversation) (n int) {
	for _, r := range t.Rubrics {
		targets := len(judges.Targets(c, r))
		for i := range t.Judges {
			if j := &t.Judges[i]; judges.Answers(j.Config.Model, r.Name) {
				n += targets * j.Requests()
			}
		}
	}
	return n
}
