package client

import "time"

// The constants of the adaptive limit.
const (
	firstFew  = 16   // refusals that show an overload, or answers that show the latency
	minWindow = 64   // answers needed for a decision
	tooMany   = 0.05 // share of refusals above which the server is overloaded
	step      = 20   // an increase is a twentieth of the limit
	maxHold   = 64   // windows until an increase that did not help is tried again
)

// adaptive decides how many requests may be in flight at a server. It starts with the configured
// maximum, reduces the number by a factor if the server refuses requests because of its load or
// lets them time out, and raises it in small steps while the server does not.
//
// It decides at the end of a window of attempts that all began after the last change. A few
// refusals are not an overload: some services refuse at random.
type adaptive struct {
	most, limit int
	clean       int     // the highest limit without an overload since the last overload
	usual       float64 // mean latency in seconds of the last window's answers; 0 if unknown

	cut           time.Time // when the limit was last reduced
	since         time.Time // attempts that began earlier are not counted
	began         time.Time // when the window began: the end of its first counted attempt
	good, refused int
	latency       float64 // sum over the answers, in seconds
	all           int     // answers in the window, including those to earlier attempts
	waited        bool    // more requests were waiting to be sent

	raised        bool // the limit was raised since the last reduction
	hold, holding int  // windows to wait before the next increase after refusals
}

// ended records the end of an attempt: an answer, or the first refusal of a request because of the
// server's load; further refusals may be the request's own fault. waiting says that other requests
// wait for a slot. It reports whether the limit changed.
func (a *adaptive) ended(start, now time.Time, refused, waiting bool) bool {
	if a.began.IsZero() {
		a.began = now
	}
	if !refused {
		a.all++
	}
	a.waited = a.waited || waiting
	if !start.After(a.since) {
		return false
	}
	if refused {
		a.refused++
	} else {
		a.good++
		a.latency += now.Sub(start).Seconds()
	}
	if a.good >= firstFew {
		a.usual = a.latency / float64(a.good)
	}
	if !a.enough(now) {
		return false
	}
	before := a.limit
	switch {
	case float64(a.refused) > tooMany*float64(a.all+a.refused):
		a.fewer(now)
	case a.waited: // else the limit held nothing back
		a.more()
	}
	a.good, a.refused, a.latency, a.all, a.waited, a.began = 0, 0, 0, 0, false, now
	if a.limit != before {
		a.since = now
	}
	return a.limit != before
}

// enough reports whether the window has enough attempts for a decision.
func (a *adaptive) enough(now time.Time) bool {
	known := a.raised && a.clean > 0 // there is a limit to go back to
	return a.good >= max(minWindow, a.limit) ||
		a.refused >= firstFew && (known || now.Sub(a.began).Seconds() >= 3*a.usual)
}

// fewer reduces the limit: to the last limit that worked, if it was raised since; else to 70 %, but
// not below 90 % of the number of requests on which the server really works. By Little's law that
// number is the rate of answers times their latency.
func (a *adaptive) fewer(now time.Time) {
	if a.raised && a.clean > 0 {
		a.limit = a.clean
		a.hold = min(2*a.hold, maxHold)
	} else {
		to := 0.7 * float64(a.limit)
		if a.all >= firstFew && a.usual > 0 {
			rate := float64(a.all) / max(now.Sub(a.began).Seconds(), 1e-9)
			to = max(to, 0.9*rate*a.usual)
		}
		a.limit = max(1, min(a.limit, int(to)))
	}
	a.raised, a.clean, a.holding, a.cut = false, 0, a.hold, now
}

// overloaded reports whether the server is refusing requests because of its load.
func (a *adaptive) overloaded(now time.Time) bool {
	return a.refused >= firstFew || now.Sub(a.cut).Seconds() < max(1, 3*a.usual)
}

// more raises the limit by one step.
func (a *adaptive) more() {
	a.clean = a.limit
	if a.holding > 0 {
		a.holding--
		return
	}
	if a.raised {
		a.hold = max(1, a.hold/2)
	}
	a.raised = true
	a.limit = min(a.most, a.limit+max(1, a.limit/step))
}
