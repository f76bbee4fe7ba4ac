package judges

import (
	"errors"
	"strings"

	"github.com/judgekit/judge/internal/llm"
)

// The most alternatives that servers give at a token as a rule, and the fewest that are
// asked for where one gives fewer.
const maxAlternatives, minAlternatives = 20, 5

// alternatives is how many are asked for.
func (j *Judge) alternatives() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.top
}

// fewerAlternatives reports whether a request with so many alternatives was refused for
// them, and is to be asked again with fewer.
func (s *sampling) fewerAlternatives(err error, asked int) bool {
	var e *llm.Error
	if asked == 0 || !errors.As(err, &e) || e.Kind != llm.KindBadRequest || !strings.Contains(strings.ToLower(e.Message), "logprob") {
		return false
	}
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	if s.j.top == asked {
		s.j.top = max(asked/2, minAlternatives)
	}
	if s.j.top == asked {
		return false // it refuses the fewest too
	}
	s.out.requests++
	return true
}
