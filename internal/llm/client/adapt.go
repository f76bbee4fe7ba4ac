package client

import "time"

// The constants of the adaptive limit.
const (
	firstFew    = 16   // refusals that show an overload, or answers that show the latency
	leastWindow = 64   // answers that a decision needs
	tooMany     = 0.05 // share of refusals above which the server is overloaded
	step        = 20   // an increase is a twentieth of the limit
	mostHold    = 64   // windows before an increase that did not help is tried again
)

// adaptive decides how many requests may be in flight at a server: at first the most that
// are allowed, multiplicatively fewer when the server refuses them for its load or lets them
// time out, and additively more while it does not.
//
// It decides at the end of a window of attempts that began after the last change. A few
// refusals are no overload: some services refuse at random.
type adaptive struct {
	most, limit int
	clean       int     // the greatest limit without an overload since the last one
	usual       float64 // mean latency in seconds of the last window's answers; 0: not known

	cut           time.Time // of the last reduction
	since         time.Time // attempts that began before are not counted
	began         time.Time // of the window: its first counted end
	good, refused int
	latency       float64 // sum over the good ones, in seconds
	all           int     // answers in the window, including those to earlier attempts
	waited        bool    // more requests could have been sent

	raised        bool // since the last reduction
	hold, holding int  // windows before an increase after refusals
}

// ended notes the end of an attempt: an answer, or the first refusal of a request for the
// server's load; further ones may be the request's own fault. waiting says that other requests
// wait for a place. It reports whether the limit changed.
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

// enough reports whether the window shows enough for a decision.
func (a *adaptive) enough(now time.Time) bool {
	known := a.raised && a.clean > 0 // what to go back to
	return a.good >= max(leastWindow, a.limit) ||
		a.refused >= firstFew && (known || now.Sub(a.began).Seconds() >= 3*a.usual)
}

// fewer reduces the limit: to what went well before it was raised, else multiplicatively, but
// not below what the server has at work. That follows from Little's law: the rate of answers
// times their latency.
func (a *adaptive) fewer(now time.Time) {
	if a.raised && a.clean > 0 {
		a.limit = a.clean
		a.hold = min(2*a.hold, mostHold)
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

// overloaded reports whether the server refuses requests for its load just now.
func (a *adaptive) overloaded(now time.Time) bool {
	return a.refused >= firstFew || now.Sub(a.cut).Seconds() < max(1, 3*a.usual)
}

// more is the additive increase.
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
