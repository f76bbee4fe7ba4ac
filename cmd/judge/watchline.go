package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/watch"
	"github.com/judgekit/judge/internal/value"
)

// watchLine returns what one look at the logs found: what is new, the day's pass rate compared with
// the days before, and a line for each alarm.
func watchLine(at time.Time, out *watch.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %d new", at.Format("2006-01-02 15:04"), out.New)
	if out.Waiting > 0 {
		fmt.Fprintf(&b, ", %d not quiet yet", out.Waiting)
	}
	if out.Late > 0 {
		fmt.Fprintf(&b, ", %d wait: the limit of the day is reached", out.Late)
	}
	if d := &out.Today; d.Calls > 0 {
		e := watch.PassRate(*d)
		fmt.Fprintf(&b, "; today %s of %s in %s pass%s", words.Share(*e.Value, 0), words.Counted(d.Calls, "call"),
			words.Counted(d.Conversations, "conversation"), passRange(e))
	}
	if e := watch.PassRate(out.Before...); e.Value != nil {
		fmt.Fprintf(&b, "; %s before: %s%s", words.Counted(len(out.Before), "day"), words.Share(*e.Value, 0),
			passRange(e))
	}
	if names := watch.New(&out.Today, out.Before); len(names) > 0 {
		b.WriteString("\n  new: " + value.VisibleLine(words.Some(names, shownProblems)))
	}
	for i := range out.Alarms {
		b.WriteString("\n  ALARM: " + alarmLine(&out.Alarms[i]))
	}
	return b.String()
}

func passRange(e report.Estimate) string {
	if !e.HasInterval() {
		return ""
	}
	return fmt.Sprintf(" (%s–%s)", words.Fixed(100**e.Low, 0), words.Share(*e.High, 0))
}

// alarmLine says what fails more often than before. Its counts are of conversations.
func alarmLine(a *watch.Alarm) string {
	what := "more calls fail"
	if a.Group != "" {
		what = value.VisibleLine(a.Name)
	}
	when := "today"
	if a.Days > 1 {
		when = fmt.Sprintf("in %d days", a.Days)
	}
	return fmt.Sprintf("%s: %s %d of %d conversations, before %d of %d (by chance: %s)", what, when, a.Now.Failed, a.Now.N,
		a.Before.Failed, a.Before.N, chance(a.P))
}

// chance says how often something happens.
func chance(p float64) string {
	if p < 1e-6 {
		return "less than once in a million"
	}
	return "once in " + words.Counted(int(1/p), "look")
}
