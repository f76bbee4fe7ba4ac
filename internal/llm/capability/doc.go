// Package capability learns what a server and its model can do, by asking.
//
// It owns the questions of a probe, the knowledge of which software answers, and
// the advice that follows. It promises that trouble with a server is never taken
// for a lack of ability, and that a finding is unknown until it was seen.
package capability
