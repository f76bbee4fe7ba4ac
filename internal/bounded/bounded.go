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
	var took time.Duration
	for range tries {
		began := time.Now()
		f()
		if took = time.Since(began); took <= most || t.Failed() {
			return
		}
	}
	t.Errorf("%s takes %v, %v at most are allowed", what, took, most)
}
