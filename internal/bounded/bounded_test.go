package bounded

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// report keeps what a test says.
type report struct {
	testing.TB
	said []string
}

func (r *report) Helper()                      {}
func (r *report) Failed() bool                 { return len(r.said) > 0 }
func (r *report) Errorf(f string, args ...any) { r.said = append(r.said, fmt.Sprintf(f, args...)) }

func TestWithin(t *testing.T) {
	slow := []string{"braces takes 1.001s, 1s at most are allowed"}
	for _, tt := range []struct {
		takes []time.Duration
		fails bool // f itself
		want  []string
		calls int
	}{
		{[]time.Duration{time.Second}, false, nil, 1},
		{[]time.Duration{time.Minute, 1001 * time.Millisecond, time.Second}, false, nil, 3},
		{[]time.Duration{time.Minute, time.Minute, 1001 * time.Millisecond, 0}, false, slow, 3},
		{[]time.Duration{time.Minute, 0}, true, []string{"wrong"}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, calls := &report{TB: t}, 0
			Within(r, time.Second, "braces", func() {
				time.Sleep(tt.takes[calls])
				if calls++; tt.fails {
					r.Errorf("wrong")
				}
			})
			if calls != tt.calls || !slices.Equal(r.said, tt.want) {
				t.Errorf("%v: %d calls, %q", tt.takes, calls, r.said)
			}
		})
	}
}
