package run

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/report"
)

// TestOlderCalibration: a calibration that was made of another number of labels than there are now is said to be older.
func TestOlderCalibration(t *testing.T) {
	for random, want := range map[int]string{0: "", 5: "older_calibration"} {
		l := Labelled{Calibration: &report.Calibration{Random: random}}
		l.choose(nil, nil)
		codes := ""
		for _, n := range l.Notes {
			codes += n.Code
		}
		if codes != want {
			t.Errorf("calibrated with %d labels, and none is there: %q, want %q", random, codes, want)
		}
	}
}

// TestDamageIsNamed: the first damaged lines of a journal are named, and that there are more.
func TestDamageIsNamed(t *testing.T) {
	for _, tt := range []struct {
		stats journal.Stats
		want  []string
	}{
		{journal.Stats{}, nil},
		{journal.Stats{TornBytes: 7}, []string{"7 bytes of an unfinished exchange"}},
		{journal.Stats{Damaged: 2, DamagedLines: [5]int{3, 9}}, []string{"2 damaged lines of the journal are not used, and what they answered is asked again: exchanges.jsonl:3, exchanges.jsonl:9, "}},
		{journal.Stats{Damaged: 5, DamagedLines: [5]int{1, 2, 3, 4, 5}}, []string{"exchanges.jsonl:4, exchanges.jsonl:5, why"}},
		{journal.Stats{Damaged: 6, DamagedLines: [5]int{1, 2, 3, 4, 5}}, []string{"exchanges.jsonl:4, exchanges.jsonl:5, …, why"}},
	} {
		var said []string
		tt.stats.Damage = "why"
		w := watch{out: &Outcome{}, obs: &Observer{Note: func(line string) { said = append(said, line) }}}
		w.out.Journal = tt.stats
		w.reportDamage()
		if len(said) != len(tt.want) || len(said) > 0 && !strings.Contains(said[0], tt.want[0]) || w.work.Damaged != tt.stats.Damaged {
			t.Errorf("%+v: %q, want %q", tt.stats, said, tt.want)
		}
	}
}
