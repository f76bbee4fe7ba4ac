package environment

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/bounded"
	"github.com/judgekit/judge/internal/value"
)

// TestInterrupt: a context that ends is the caller's matter, not the environment's
// fault.
func TestInterrupt(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Config{
		"command": {Type: commandKind, Command: []string{self, "__fault", "hang"}},
		"mcp":     {Type: mcpKind, Command: []string{self, "__mcpfault", "hang"}, Reset: Endpoint{Tool: "reset", Argument: "state"}, Snapshot: Endpoint{Tool: "snapshot"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bounded.Within(t, 4*time.Second, "the end", func() {
				pool := NewPool(faultMaker(t, c), 1)
				defer pool.Close()
				stop := errors.New("stopped by hand")
				ctx, cancel := context.WithCancelCause(context.Background())
				time.AfterFunc(300*time.Millisecond, func() { cancel(stop) })
				_, err := pool.CheckAll(ctx, []Plan{{Start: value.OfObject(), Calls: []Call{{Name: "trouble", Arguments: value.OfObject()}}, WantCalls: []Call{}}})
				if !errors.Is(err, stop) && !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

// TestCommandTracksChanges: a program that only knows reset, call and snapshot.
func TestCommandTracksChanges(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		config  Config
		tracked bool
		effects []string
	}{
		{"after every call", Config{}, true, []string{`[{"op":"replace","path":"/x","value":5,"old":1}]`, `[]`, `[{"op":"add","path":"/y","value":[1.50]}]`}},
		{"at the end", Config{Track: trackEnd}, false, []string{`[]`, `[]`, `[]`}},
	} {
		c := tt.config
		c.Type, c.Command = commandKind, []string{self, "__fault", "none"}
		env := faultMaker(t, c).environment()
		out, err := execute(context.Background(), env, Plan{
			Start: objectOf(t, `{"x":1}`), WantCalls: []Call{},
			Calls: []Call{
				{Index: 4, Name: "set", Arguments: objectOf(t, `{"key":"x","value":5}`)},
				{Index: 5, Name: "other", Arguments: value.OfObject()},
				{Index: 6, Name: "set", Arguments: objectOf(t, `{"key":"y","value":[1.50]}`)},
			},
		})
		if err != nil || out.Fault != nil {
			t.Fatal(err, out.Fault)
		}
		for i, e := range out.Effects {
			if got := patchOf(e.Result.Effects).JSON(); got != tt.effects[i] || e.Result.Tracked != tt.tracked {
				t.Errorf("%s: call %d: %s tracked %v", tt.name, i, got, e.Result.Tracked)
			}
		}
		if !out.Effects[1].Result.Unknown || out.Pollution != 2 {
			t.Errorf("%s: %+v", tt.name, out)
		}
		if wantCall := map[bool]int{true: 6, false: -1}[tt.tracked]; out.Diff[1].Call != wantCall {
			t.Errorf("%s: %+v", tt.name, out.Diff[1])
		}
		env.Close()
	}
}
