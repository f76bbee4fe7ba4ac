package run

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/transcript"
)

// TestPartsAndRequests: a task has digests of everything but its logs, and each judge is asked once about every call by
// every rubric of calls.
func TestPartsAndRequests(t *testing.T) {
	p := plan(t, "http://one/v1", fileLog(supportLog))
	parts, err := p.Parts()
	want := []string{"judges", "prompt", "rubrics", "scorers", "selection"}
	if got := slices.Sorted(maps.Keys(parts)); err != nil || !cmp.Equal(want, got) {
		t.Errorf("%q, %v", got, err)
	}
	p.Seed = 9
	if other, err := p.Parts(); err != nil || other["selection"] == parts["selection"] || other["judges"] != parts["judges"] {
		t.Errorf("%q, %v", other, err)
	}
	p.Judges = append(p.Judges, p.Judges[0])
	c := &transcript.Conversation{Calls: []transcript.Call{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	if n := p.Requests(c); n != 24 {
		t.Errorf("%d requests of two judges about three calls by four rubrics", n)
	}
	p.Scorers = []deterministic.Config{{Type: "none"}}
	if parts, err := p.Parts(); parts != nil || !errors.As(err, new(*TaskError)) {
		t.Errorf("%v, %v", parts, err)
	}
}
