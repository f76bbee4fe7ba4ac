package watch

import (
	"math"
	"strconv"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// Verdict says whether a call passes, by the score that decides.
type Verdict struct {
	Conversation string
	// Call is -1 for a verdict on the whole conversation, which has no tool.
	Call   int
	Tool   string
	Passed bool
	// Group and Name are the id and the name of a failing call's group.
	Group, Name string
}

// Counter counts the verdicts of a day, which must arrive conversation by conversation.
type Counter struct {
	day Day
	// id is the current conversation, followed by its calls and failures; drawn holds its call that
	// counts, and one call for each tool.
	id            string
	calls, failed int
	drawn         pick
	byTool        map[string]pick
}

// pick is a call drawn at random: the one with the smallest fraction.
type pick struct {
	Verdict
	at float64
}

// maxGroups limits the number of different groups per day.
const maxGroups = 1000

// NewCounter returns a counter for a day.
func NewCounter(date string) *Counter {
	return &Counter{day: Day{Date: date, Drawn: map[string]Count{}, Users: map[string]int{}, Groups: map[string]Group{}},
		byTool: map[string]pick{}}
}

// Add adds a verdict.
func (c *Counter) Add(v Verdict) {
	if v.Conversation != c.id {
		c.end()
		c.id = v.Conversation
	}
	p := pick{v, fraction("draw\x00" + v.Conversation + "\x00" + strconv.Itoa(v.Call))}
	if c.calls == 0 || p.at < c.drawn.at {
		c.drawn = p
	}
	if old, ok := c.byTool[v.Tool]; !ok || p.at < old.at {
		c.byTool[v.Tool] = p
	}
	c.calls++
	if !v.Passed {
		c.failed++
	}
}

// end adds the finished conversation.
func (c *Counter) end() {
	if c.calls == 0 {
		return
	}
	d, calls, failed := &c.day, float64(c.calls), float64(c.failed)
	d.Conversations++
	d.Calls += c.calls
	d.Failed += c.failed
	d.CallSquares += float64(calls * calls)
	d.FailedSquares += float64(failed * failed)
	d.Products += float64(calls * failed)
	drawn := d.Drawn[c.drawn.Tool]
	if drawn.N++; !c.drawn.Passed {
		drawn.Failed++
	}
	d.Drawn[c.drawn.Tool] = drawn
	for tool, p := range c.byTool {
		d.Users[tool]++
		if _, known := d.Groups[p.Group]; !p.Passed && (known || len(d.Groups) < maxGroups) {
			d.Groups[p.Group] = Group{tool, p.Name, d.Groups[p.Group].N + 1}
		}
	}
	c.calls, c.failed = 0, 0
	clear(c.byTool)
}

// Day returns the counts so far.
func (c *Counter) Day() Day {
	c.end()
	c.id = ""
	return merge([]Day{c.day}).on(c.day.Date)
}

func (d Day) on(date string) Day {
	d.Date = date
	return d
}

// PassRate returns the share of the days' calls that pass, with its 95 % interval by conversation.
func PassRate(days ...Day) report.Estimate {
	d := merge(days)
	n, calls := float64(d.Conversations), float64(d.Calls)
	if calls == 0 {
		return report.Point(stat.None(stat.NoItems))
	}
	fails := float64(d.Failed) / calls
	squares := d.FailedSquares - 2*fails*d.Products + fails*fails*d.CallSquares
	se, least := math.Sqrt(max(0, squares)*n/max(1, n-1))/calls, calls*calls/d.CallSquares
	if d.Failed == 0 || d.Failed == d.Calls { // then all conversations are alike
		e, _ := interval.Wilson((1-fails)*least, least, alpha)
		return report.Interval(e.Value, e.CI)
	}
	return report.Interval(stat.Some(1-fails), interval.ScoreAround(1-fails, se, least, alpha))
}

// alpha is the error rate of intervals.
const alpha = 0.05
