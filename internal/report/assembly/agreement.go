package assembly

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// compare fills what comes of holding the instruments of a run against each other: judges
// against references, judges against judges, all judges of a rubric, a judge against its
// retest. r must have its scores: they name its judges.
func (b *builder) compare(r *report.Report) error {
	if err := b.agreement(r); err != nil {
		return err
	}
	checkGold(r)
	for _, part := range []func(*report.Report) error{b.scatters, b.peers, b.consensus, b.noise} {
		if err := part(r); err != nil {
			return err
		}
	}
	return nil
}

// checkGold warns where nothing was compared with what the user named as gold.
func checkGold(r *report.Report) {
	if r.GoldName == "" || len(r.Agreement) == 0 {
		return
	}
	var known []string
	for _, a := range r.Agreement {
		switch name := a.Reference.Title(); {
		case name == r.GoldName:
			return
		case !slices.Contains(known, name):
			known = append(known, name)
		}
	}
	r.Warnings = append(r.Warnings, report.Warning{Code: "gold", Text: fmt.Sprintf("no judge was compared with %s, which was named as gold; known are %s", report.Clip(r.GoldName, 60), strings.Join(known, ", "))})
}

// reductions are the ways that calls meet references which speak of conversations.
var reductions = [3]string{report.ReduceMin, report.ReduceMean, report.ReduceShare}
