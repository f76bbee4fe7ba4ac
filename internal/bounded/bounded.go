// Package bounded checks in tests that work on hostile input ends in bounded time.
package bounded

import (
	"testing"
	"time"
)

// tries is how often work may be too slow: a busy machine stands still for seconds, but not each time.
const tries = 3

// Within fails the test if f takes longer than most every time that it is tried. what names the input.
// f is called up to three times. After a failure of the test it is not called again.
func Within(t testing.TB, most time.Duration, what string, f func()) {
	t.Helper()
	Took(t, most, what, func() time.Duration {
		began := time.Now()
		f()
		return time.Since(began)
	})
}

// Took is Within for work of which only a part is measured: f returns how long that part took.
func Took(t testing.TB, most time.Duration, what string, f func() time.Duration) {
	t.Helper()
	var took time.Duration
	for range tries {
		if took = f(); took <= most || t.Failed() {
			return
		}
	}
	t.Errorf("%s takes %v, %v at most are allowed", what, took, most)
}
