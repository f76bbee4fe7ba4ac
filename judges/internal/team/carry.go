package team

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/result"
)

// carried reports whether a panel takes over a flag from any member: what escalates,
// and what bears on how far its members are independent.
func carried(f score.Flag) bool { return f.Severity >= 2 || f.Code == result.FlagSelfPreference }

// carry takes over the members' flags that are carried, each code once, with the names
// of the members it was raised about and the first one's detail. flags has an entry for
// each name; a member whose score does not count has none.
func carry(out *result.Result, names []string, flags [][]score.Flag) {
	type raised struct {
		score.Flag
		by []string
	}
	var list []raised
	for k, own := range flags {
		for _, f := range own {
			if !carried(f) {
				continue
			}
			at := slices.IndexFunc(list, func(r raised) bool { return r.Code == f.Code })
			if at < 0 {
				at = len(list)
				list = append(list, raised{Flag: f})
			}
			r := &list[at]
			r.Severity = max(r.Severity, f.Severity)
			if !slices.Contains(r.by, names[k]) {
				r.by = append(r.by, names[k])
			}
		}
	}
	for _, r := range list {
		detail := strings.Join(r.by, ", ")
		if r.Detail != "" {
			detail += ": " + r.Detail
		}
		f := score.Flag{Code: r.Code, Severity: r.Severity, Detail: value.Excerpt(detail, 400)}
		out.Flags = slices.DeleteFunc(out.Flags, func(old score.Flag) bool { return old.Code == f.Code })
		out.Flags = append(out.Flags, f)
	}
}

// shortened notes that some member saw a shortened history.
func shortened(out *result.Result) {
	out.ContextTruncated = true
	if !slices.ContainsFunc(out.Flags, func(f score.Flag) bool { return f.Code == result.FlagContextTruncated }) {
		result.Raise(out, result.FlagContextTruncated, 1, "a member of the panel saw a shortened history")
	}
}
