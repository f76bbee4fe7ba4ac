package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func at(i int) *int { return &i }

func TestFocusIsTheCallThatDecided(t *testing.T) {
	for name, tc := range map[string]struct {
		d    Disagreement
		want *int
	}{
		"its own call":             {Disagreement{CaseRef: CaseRef{CallIndex: at(3)}, Judgements: []Side{{CallIndex: at(1)}}}, at(3)},
		"a whole conversation":     {Disagreement{Judgements: []Side{{Name: "overall"}}}, nil},
		"conflicts before others":  {Disagreement{Judgements: []Side{{Name: "overall", CallIndex: at(1)}, {Name: "x", CallIndex: at(2), Conflicts: true}}}, at(2)},
		"overall before an aspect": {Disagreement{Judgements: []Side{{Name: "x", CallIndex: at(2), Conflicts: true}, {Name: "overall", CallIndex: at(4), Conflicts: true}}}, at(4)},
		"of equals the first":      {Disagreement{Judgements: []Side{{Name: "x", CallIndex: at(5)}, {Name: "y", CallIndex: at(6)}}}, at(5)},
	} {
		if diff := cmp.Diff(tc.want, tc.d.Focus()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
