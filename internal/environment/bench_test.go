package environment

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// BenchmarkAirlineCalls runs the recorded calls of the airline conversations over
// the airline database (3 MB of JSON), each with its changes, and goes back to the
// start between conversations.
func BenchmarkAirlineCalls(b *testing.B) {
	data := realdata.Path(b, "data", "tau")
	m := tauMaker(b, data, "airline/db.2024-11")
	convs := readTau(b, filepath.Join(data, "trajectories", "sierra-gpt-4o-airline.json.gz"), format.Options{})
	env := m.environment()
	defer env.Close()
	ctx := context.Background()
	var plans []Plan
	for _, c := range convs {
		p, err := m.Plan(*c)
		if err != nil {
			b.Fatal(err)
		}
		plans = append(plans, p)
	}
	if err := env.Reset(ctx, m.state); err != nil {
		b.Fatal(err)
	}
	calls := 0
	for b.Loop() {
		for _, p := range plans {
			if err := env.Reset(ctx, p.Start); err != nil {
				b.Fatal(err)
			}
			for _, c := range p.Calls {
				if _, err := env.Call(ctx, c.Name, c.Arguments); err != nil {
					b.Fatal(err)
				}
				calls++
			}
		}
	}
	b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "calls/s")
}

// BenchmarkAirlineWrite is one call that changes the state, and its way back.
func BenchmarkAirlineWrite(b *testing.B) {
	m := tauMaker(b, realdata.Path(b, "data", "tau"), "airline/db.2024-11")
	env := m.environment()
	defer env.Close()
	ctx := context.Background()
	args, err := value.ParseString(`{"reservation_id":"4WQ150"}`)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := env.Reset(ctx, m.state); err != nil {
			b.Fatal(err)
		}
		res, err := env.Call(ctx, "cancel_reservation", args)
		if err != nil || res.IsError || len(res.Effects) != 2 {
			b.Fatalf("%v %+v", err, res)
		}
	}
}
