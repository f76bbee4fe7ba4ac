package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

func TestScoreReportIsTheReportOfADirectory(t *testing.T) {
	for name, change := range map[string]func(*setup){
		"whole":  func(*setup) {},
		"sample": func(p *setup) { p.Sample, p.Seed = 9, 4 },
		"limit":  func(p *setup) { p.Limit = 5 },
	} {
		p := plan(t, "", fileLog(supportLog))
		change(&p)
		kept, err := executeSetup(t.Context(), p, t.TempDir(), false, Observer{})
		if err != nil {
			t.Fatal(err)
		}
		unkept, err := ScoreReport(t.Context(), p.Task, Observer{})
		if err != nil {
			t.Fatal(err)
		}
		ignore := cmp.Options{
			cmp.Comparer(value.Equal), cmpopts.IgnoreFields(report.Run{}, "ID"), cmpopts.IgnoreFields(report.Input{}, "SHA"),
		}
		// Without a directory there is nothing that the view could show to label.
		kept.Report.Summary = slices.DeleteFunc(kept.Report.Summary, func(s string) bool {
			return strings.HasSuffix(s, ": judge view RUN")
		})
		if diff := cmp.Diff(kept.Report, unkept.Report, ignore); diff != "" {
			t.Errorf("%s (-directory +no directory):\n%s", name, diff)
		}
		if unkept.Report.Counts.Scores == 0 {
			t.Errorf("%s: nothing was scored", name)
		}
	}
}

func TestScoreReportStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ScoreReport(ctx, plan(t, "", fileLog(supportLog)).Task, Observer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run: %v", err)
	}
	var format *transcript.FormatError
	noLog := input.Log{Name: "odd.bin", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("no log at all")), nil }}
	_, err := ScoreReport(t.Context(), plan(t, "", noLog).Task, Observer{})
	if !errors.As(err, &format) {
		t.Errorf("no log: %v", err)
	}
}

// TestScoreTo: labels and deterministic scores are written in log order; the run has no id. Thresholds decide them.
func TestScoreTo(t *testing.T) {
	log := plantLine("a", `{"id":1}`, "one", `,"labels":{"human":1}`) + "no log\n" + plantLine("b", `{"id":"x"}`, "two", "")
	p := plan(t, "", textLog("l.jsonl", log, new(atomic.Int64)))
	p.Scorers = []deterministic.Config{{Type: "schema_check"}}
	var out strings.Builder
	unreadable := 0
	obs := Observer{Unreadable: func(error) { unreadable++ }}
	reading, err := ScoreTo(t.Context(), p.Task, &out, obs)
	if err != nil || reading.Conversations != 2 || reading.Calls != 2 || reading.Unreadable != 1 || unreadable != 1 {
		t.Errorf("%+v, %v", reading, err)
	}
	rows := func() (text string) {
		for s, err := range score.Read(strings.NewReader(out.String()), "s") {
			if err != nil {
				t.Fatal(err)
			}
			call := -1
			if s.CallIndex != nil {
				call = *s.CallIndex
			}
			text += fmt.Sprintf("%s:%d %s %v; ", s.ConversationID, call, s.Name, *s.Passed)
		}
		return text
	}
	if !strings.HasPrefix(out.String(), `{"schema":"judge.scores/v1","run_id":""}`+"\n") {
		t.Error(out.String())
	}
	if got := rows(); got != "a:-1 human true; a:0 schema_check true; b:0 schema_check false; " {
		t.Error(got)
	}
	out.Reset()
	p.Report.Thresholds = []report.Threshold{{Name: "schema_check", Low: 0, High: new(0.5)}}
	if _, err := ScoreTo(t.Context(), p.Task, &out, obs); err != nil {
		t.Error(err)
	}
	if got := rows(); got != "a:-1 human true; a:0 schema_check false; b:0 schema_check true; " {
		t.Error(got)
	}
	if _, err := ScoreTo(t.Context(), p.Task, full{}, obs); err == nil || err.Error() != "write scores: disk full" {
		t.Errorf("a full disk: %v", err)
	}
	p.Logs = []input.Log{textLog("l.jsonl", "", new(atomic.Int64))}
	if _, err := ScoreTo(t.Context(), p.Task, &out, obs); !errors.As(err, new(*NothingError)) {
		t.Errorf("an empty log: %v", err)
	}
	p.Scorers = []deterministic.Config{{Type: "none"}}
	if _, err := ScoreTo(t.Context(), p.Task, &out, obs); !errors.As(err, new(*TaskError)) {
		t.Errorf("an unknown scorer: %v", err)
	}
}

// full refuses every write.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// TestScoreReportGates: gates are decided; a gate that nothing can satisfy is refused before the log is read, or after one
// reading if it may name a label of a log that can be read again.
func TestScoreReportGates(t *testing.T) {
	log := plantLine("a", `{"id":1}`, "one", `,"labels":{"human":1}`)
	for name, tt := range map[string]struct {
		gate   string
		once   bool
		reads  int
		failed bool
		wrong  string // beginning of the error
	}{
		"passes":                           {gate: "schema_check", reads: 1},
		"a label":                          {gate: "human", reads: 2},
		"a label of a pipe":                {gate: "human", once: true, reads: 1},
		"a label that is not there":        {gate: "other", reads: 1, wrong: "gate on other: no rubric, scorer or label"},
		"such a label of a pipe":           {gate: "other", once: true, reads: 1, failed: true},
		"nothing of this run has the name": {gate: "schema_chek", once: true, wrong: "gate on schema_chek: "},
	} {
		var read atomic.Int64
		p := plan(t, "", textLog("l.jsonl", log, &read))
		p.Logs[0].Once = tt.once
		p.Scorers = []deterministic.Config{{Type: "schema_check"}}
		p.Gates = []measure.Gate{{Score: tt.gate, MinPassRate: new(0.5)}}
		out, err := ScoreReport(t.Context(), p.Task, Observer{})
		if int(read.Load()) != tt.reads*len(log) {
			t.Errorf("%s: %d bytes of %d were read", name, read.Load(), len(log))
		}
		if tt.wrong != "" {
			if !errors.As(err, new(*TaskError)) || !strings.HasPrefix(err.Error(), tt.wrong) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r := out.Report.Gates; len(r) != 1 || r[0].Passed == tt.failed || len(out.Gates.Results) != 1 {
			t.Errorf("%s: %+v", name, r)
		}
		m := out.Manifest
		if m.RunID != "" || m.Parts != nil || m.Status != directory.Complete || m.Counts.Calls != 1 || m.Ended == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
