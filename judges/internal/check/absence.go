package check

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

func (c *checker) absence() {
	var names []string
	for i := range c.rec.conv.Tools {
		if name := c.rec.conv.Tools[i].Name; len(name) >= 3 && name != c.call.Name {
			names = append(names, name)
		}
	}
	for _, name := range absent(c.Evidence, names) {
		for j := range c.rec.conv.Calls {
			if o := &c.rec.conv.Calls[j]; o.Name == name && c.before(o) && !c.failed(o) {
				c.flag(flagFalseAbsence, 2, "the evidence says that there was no call of %s, and there was one",
					value.Excerpt(name, 80))
				return
			}
		}
	}
}

// before reports whether the result of call o was known when the call was made.
func (c *checker) before(o *transcript.Call) bool {
	return o.Message < c.call.Message && o.Result >= 0 && o.Result < c.call.Message
}

// failed reports whether a call was refused, never run, or answered with an error.
func (c *checker) failed(o *transcript.Call) bool {
	if o.Proposed || o.Result < 0 || o.Result >= len(c.rec.conv.Messages) {
		return true
	}
	_, failed := c.rec.conv.Failure(o)
	return failed
}

// The words of claims of absence. A claim that holds other words between "no" and the
// tool is not looked up: it may be about something else than the tool.
const (
	// happenings are what a tool is said not to have, traces words for one, as in "no
	// sign of a NAME call".
	happenings = `call calls result results lookup lookups invocation invocations execution executions output outputs
		response responses check checks request requests query queries use`
	traces  = "sign evidence record trace instance"
	joiners = "to of from with via using through by for"
	// deeds are what was not done to a tool.
	deeds     = "call called calling invoke invoked run ran use used execute executed made performed"
	negations = "not never without wasn't weren't isn't hasn't hadn't didn't doesn't"
	// auxiliaries occur between a tool and what was not done to it, fillers anywhere.
	auxiliaries = "was were is are has had been yet tool function"
	fillers     = `the a an any or and prior earlier previous preceding past such successful completed separate explicit
		corresponding recorded logged single tool function api agent's assistant's`
	// conditions narrow a claim down, or make it one about something else.
	conditions = `for with about that which on in using containing showing returning whose where because since if needed
		required necessary warranted expected missing failed failing fails`
)

// What comes before and behind the name of a tool in a claim, in a spaced text in which
// the names of tools are numbers in angle brackets.
var (
	noBefore = regexp.MustCompile(oneOf("no without") + "((?:" + oneOf(traces+" "+happenings) + oneOf(joiners) + "|" +
		oneOf(traces+" "+happenings+" "+fillers+" <*") + ")*)$")
	happening = regexp.MustCompile(oneOf(happenings))
	noBehind  = regexp.MustCompile("^(?:" + oneOf(fillers+" <*") + "){0,3}" +
		"(?:$|(?: [.,;:!?()] )|(?: before )|(" + oneOf(happenings) + "))")
	undoneBehind = regexp.MustCompile("^(?:" + oneOf(auxiliaries) + ")*" + oneOf(negations) +
		"(?:" + anyWord + "){0,3}?" + oneOf(deeds))
	undoneBefore = regexp.MustCompile(oneOf(negations) + "(?:" + oneOf(fillers+" "+auxiliaries+" "+deeds) + ")*$")
	deed         = regexp.MustCompile(oneOf(deeds))
	conditional  = regexp.MustCompile("^(?:" + oneOf(auxiliaries+" "+fillers) + ")*" + oneOf(conditions))
)

// maxClaim bounds the text that is searched for claims, in bytes.
const maxClaim = 8 << 10

// absent returns the names of tools of which a text claims that there was no call, in
// the order of the text. A claim with a condition ("for this user") is left out, because
// only a reader could see whether an earlier call meets it.
func absent(text string, names []string) []string {
	words := tokens(strings.ReplaceAll(text[:min(len(text), maxClaim)], `"`, " "))
	of := make([]int, len(words)) // the name that a word is
	for i, w := range words {
		of[i] = slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, w) })
		if of[i] >= 0 {
			words[i] = "<" + strconv.Itoa(of[i]) + ">"
		}
	}
	var out []string
	for i, name := range of {
		if name < 0 || slices.Contains(out, names[name]) {
			continue
		}
		if before, behind := spaced(words[:i]), spaced(words[i+1:]); noCall(before, behind) ||
			notCalled(before, behind) {
			out = append(out, names[name])
		}
	}
	return out
}

// noCall finds "no … NAME call", "no … call of NAME" and "no earlier NAME".
func noCall(before, behind string) bool {
	claim := noBefore.FindStringSubmatch(before)
	if claim == nil {
		return false
	}
	if happening.MatchString(claim[1]) {
		return !conditional.MatchString(behind)
	}
	rest := noBehind.FindStringSubmatchIndex(behind)
	return rest != nil && (rest[2] < 0 || !conditional.MatchString(behind[rest[1]:]))
}

// notCalled finds "NAME was never called" and "never called NAME".
func notCalled(before, behind string) bool {
	if rest := undoneBehind.FindStringIndex(behind); rest != nil && !conditional.MatchString(behind[rest[1]:]) {
		return true
	}
	return deed.MatchString(undoneBefore.FindString(before)) && !conditional.MatchString(behind)
}
