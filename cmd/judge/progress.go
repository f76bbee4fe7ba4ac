package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/judges"
)

// progress shows how far a long task has come: as one line that is redrawn on a terminal, else as
// one line every 30 seconds. It is safe for concurrent use; a nil progress shows nothing.
type progress struct {
	mu     sync.Mutex
	w      io.Writer
	redraw bool
	now    func() time.Time
	// start is when the first judgement began that the journal did not answer.
	start    time.Time
	last     time.Time
	drawn    int
	done     int
	total    int
	about    bool // total is an estimate
	ok       int
	repaired int
	unscored int
	cached   int
	// more is added to the line if it is set: the workers of a queue.
	more func() string
	// limits says what limits the rate; nil if unknown.
	limits func() string
	// paused says, for each endpoint in an outage, when it is tried again.
	paused map[string]string
}

const (
	redrawEvery = 200 * time.Millisecond
	lineEvery   = 30 * time.Second
)

// bar returns the progress line of a command, nil for a quiet one.
func (a *app) bar() *progress {
	if a.quiet {
		return nil
	}
	return newProgress(a.progress, a.errTerminal, 0)
}

// observer shows judgements and notes; with a nil progress it shows nothing.
func (p *progress) observer(a *app) run.Observer {
	if p == nil {
		return run.Observer{}
	}
	return run.Observer{
		Judged: func(r *judges.Result) {
			p.judged(r.Output != nil, r.Repairs > 0, r.Requests > 0 && r.Cached == r.Requests)
		},
		Note: func(line string) { p.say(a.err, "judge: "+line) },
	}
}

// newProgress shows total expected judgements (0 if the number is not known).
func newProgress(w io.Writer, terminal bool, total int) *progress {
	p := &progress{w: w, redraw: terminal, now: time.Now, total: total}
	p.start = p.now()
	p.last = p.start
	return p
}

// with changes a progress under its lock; it does nothing for nil.
func (p *progress) with(change func()) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// judged counts one finished judgement.
func (p *progress) judged(scored, repaired, cached bool) {
	p.with(func() {
		p.done++
		switch {
		case !scored:
			p.unscored++
		case repaired:
			p.repaired++
		default:
			p.ok++
		}
		if cached {
			p.cached++
		}
		if p.cached == p.done { // until now everything came from the journal
			p.start = p.now()
		}
		p.refresh(redrawEvery)
	})
}

// refresh draws the line if enough time has passed since the last time.
func (p *progress) refresh(every time.Duration) {
	if !p.redraw {
		every = lineEvery
	}
	if now := p.now(); now.Sub(p.last) >= every {
		p.last = now
		p.draw(now)
	}
}

// outage reports at once that an endpoint stopped answering, and when it answers again. In
// between, the progress line says when it is tried next.
func (p *progress) outage(n client.Notice, most time.Duration) {
	p.mu.Lock()
	before := p.paused[n.Endpoint]
	if p.paused == nil {
		p.paused = map[string]string{}
	}
	p.paused[n.Endpoint] = fmt.Sprintf("; paused %s (%s), next try in %s", short(n.Since), n.Why, short(n.Next))
	if n.Over {
		delete(p.paused, n.Endpoint)
	}
	p.mu.Unlock()
	switch {
	case n.Over && before != "":
		p.say(p.w, fmt.Sprintf("judge: %s answers again after %s; going on", n.Endpoint, short(n.Since)))
	case before == "" && !n.Over:
		p.say(p.w, fmt.Sprintf("judge: %s stopped answering: %s; paused, trying again for %s (--outage)",
			n.Endpoint, n.Why, short(most)))
	}
	p.with(func() { p.refresh(0) })
}

// limited sets what limits the rate of judgements.
func (p *progress) limited(by func() string) { p.with(func() { p.limits = by }) }

// finish ends the line.
func (p *progress) finish() { p.with(p.clear) }

// clear erases the line.
func (p *progress) clear() {
	if p.redraw && p.drawn > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.drawn))
	}
	p.drawn = 0
}

func (p *progress) draw(now time.Time) {
	line := p.line(now)
	if !p.redraw {
		fmt.Fprintln(p.w, line)
		return
	}
	pad := max(0, p.drawn-len(line))
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", pad))
	p.drawn = len(line)
}

func (p *progress) line(now time.Time) string {
	line := fmt.Sprintf("judged %d", p.done)
	switch {
	case p.total == 0 || p.about && p.done > p.total:
	case p.about:
		line += fmt.Sprintf(" of about %d", p.total)
	default:
		line += fmt.Sprintf("/%d", p.total)
	}
	line += fmt.Sprintf("%s: %d ok, %d repaired, %d unscored, %d from the journal", p.speed(now), p.ok, p.repaired,
		p.unscored, p.cached)
	for _, endpoint := range slices.Sorted(maps.Keys(p.paused)) {
		line += p.paused[endpoint]
	}
	if p.more != nil {
		line += "; " + p.more()
	}
	if p.limits != nil && len(p.paused) == 0 {
		line += "; limited by " + p.limits()
	}
	return line
}

// speed says how many judgements are made per second, and how long the rest takes at that rate.
// Judgements from the journal took no time and are not counted.
func (p *progress) speed(now time.Time) string {
	fresh := p.done - p.cached
	if fresh == 0 {
		return ""
	}
	rate := float64(fresh) / max(now.Sub(p.start).Seconds(), 1e-3)
	left := ""
	if n := p.total - p.done; p.total > 0 && n > 0 {
		left = ", " + short(time.Duration(float64(n)/rate*float64(time.Second))) + " left"
	}
	return fmt.Sprintf(" (%.0f/s%s)", rate, left)
}

// short returns a duration as people say it: 45s, 12m, 3h20m.
func short(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()+0.5))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()+0.5))
	default:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
}

// say prints a line without tearing the progress line.
func (p *progress) say(w io.Writer, line string) {
	if p == nil {
		fmt.Fprintln(w, line)
		return
	}
	p.with(func() {
		p.clear()
		fmt.Fprintln(w, line)
	})
}
