package client

import (
	"time"
)

// The adaptive limit's constants: shares of the limit, of a window's attempts, or ratios.
const (
	firstFew    = 16   // answers that tell the usual latency at first, or refusals an overload
	leastWindow = 64   // answers that a decision needs
	tooMany     = 0.05 // share of refusals above which the server is overloaded
	slower      = 1.2  // times the usual latency, above which fewer requests are tried
	asFast      = 1.05 // times the usual latency, up to which more are
	loss        = 0.05 // share of the rate of answers whose loss ends a trial
	step        = 20   // an increase is a twentieth of the limit
	patience    = 16   // windows, times those of the doubt, before the usual latency is learnt again
	mostHold    = 64   // windows before something that did not help is tried again
)

// adaptive decides how many requests may be in flight at a server: at first the most that
// are allowed; additively more while that does no harm; multiplicatively fewer when the
// server refuses them for its load, lets them time out, or answers more slowly without
// answering more. How many are in service at once follows from Little's law: the rate of
// answers times the latency.
//
// It decides at the end of a window of attempts that began after the last change. A few
// refusals are no overload: some services refuse at random. Fewer requests for the sake of
// latency are a trial: where the rate of answers falls with them, the server was not only
// queueing, and the limit is what it was again.
type adaptive struct {
	most, limit int
	clean       int     // the greatest limit without an overload since the last one
	settled     bool    // a window has passed: what all began at once is over
	usual       float64 // latency in seconds of answers that did not have to wait; 0: not known

	cut           time.Time // of the last reduction behind refusals
	since         time.Time // attempts that began before are not counted
	began         time.Time // of the window: its first counted end
	good, refused int
	latency       float64 // sum over the good ones, in seconds
	all           int     // answers in the window, those to earlier attempts too
	waited        bool    // more requests could have been sent

	raised          bool // since the last refusals
	hold, holding   int  // windows before an increase behind refusals
	doubt, doubting int  // and before a trial with fewer
	learnt          bool // the usual latency is that of a trial that failed, and may be too long
	calm            int  // windows since

	trial  bool    // fewer requests are being tried
	before int     // the limit until then
	rate   float64 // of answers, then
}

// ended notes the end of an attempt: an answer, or the first refusal of a request for the
// server's load; further ones may be the request's own fault. waiting says that others
// stood in line meanwhile. It reports whether the limit changed.
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
	if a.usual == 0 && a.good == firstFew {
		a.usual = a.latency / float64(a.good)
	}
	if !a.enough(now) {
		return false
	}
	before := a.limit
	a.decide(now)
	a.good, a.refused, a.latency, a.all, a.waited, a.began = 0, 0, 0, 0, false, now
	if a.limit != before {
		a.since = now
	}
	return a.limit != before
}

// enough reports whether the window tells enough for a decision.
func (a *adaptive) enough(now time.Time) bool {
	n := max(leastWindow, a.limit)
	if a.trial {
		n *= 2
	}
	known := a.raised && a.clean > 0 // what to go back to
	return a.good >= n || a.refused >= firstFew && (known || now.Sub(a.began).Seconds() >= 3*a.usual)
}

// decide chooses the limit at the end of a window.
func (a *adaptive) decide(now time.Time) {
	mean := a.latency / float64(max(a.good, 1))
	rate := float64(a.limit) / max(mean, 1e-9) // where the server is kept busy
	overloaded := float64(a.refused) > tooMany*float64(a.all+a.refused)
	switch {
	case overloaded:
		a.refuse(now, float64(a.all)/max(now.Sub(a.began).Seconds(), 1e-9)*a.usual)
	case !a.settled:
		a.settled = true
	case !a.waited: // nothing is learned of a server that is not kept busy
	case a.trial:
		a.judge(rate, mean)
	case a.limit > 1 && (mean > slower*a.usual || a.stale()):
		a.tryFewer(rate, mean)
	case mean <= asFast*a.usual:
		a.usual = min(a.usual, (3*a.usual+mean)/4) // a mean varies
		a.more()
	}
}

// stale reports whether the usual latency is to be learnt again: a trial while the server
// changed tells a wrong one.
func (a *adaptive) stale() bool {
	a.calm++
	return a.learnt && a.calm > patience*a.doubt
}

// refuse reduces the limit: to what went well before it was raised, else multiplicatively,
// but not below what is in service, where answers tell that.
func (a *adaptive) refuse(now time.Time, inService float64) {
	a.trial = false
	if a.raised && a.clean > 0 {
		a.limit = a.clean
		a.hold = min(2*a.hold, mostHold)
	} else {
		to := 0.7 * float64(a.limit)
		if a.all >= firstFew && a.usual > 0 {
			to = max(to, 0.9*inService)
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

// tryFewer reduces the limit to what the server had in service at its usual latency.
func (a *adaptive) tryFewer(rate, mean float64) {
	if a.doubting > 0 {
		a.doubting--
		return
	}
	a.trial, a.before, a.rate = true, a.limit, rate
	to := min(max(float64(a.limit)*a.usual/mean, float64(a.limit)/2), 0.8*float64(a.limit))
	a.limit = max(1, int(to))
}

// judge ends a trial: where there are fewer answers than before, the server had been at
// work on all of its requests. How long it took over fewer counts as usual then.
func (a *adaptive) judge(rate, mean float64) {
	a.trial = false
	if rate >= (1-loss)*a.rate {
		a.doubt, a.usual = 1, min(a.usual, mean)
		if mean > slower*a.usual {
			a.tryFewer(rate, mean)
		}
		return
	}
	a.limit, a.usual, a.learnt, a.calm = a.before, max(a.usual, mean), true, 0
	a.doubt = min(2*a.doubt, mostHold)
	a.doubting = a.doubt
}
