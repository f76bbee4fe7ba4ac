package words

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// PageTexts returns the sentences of the page and of judge view, by the names that the template and
// the scripts use. # stands for a value.
func PageTexts() map[string]string {
	return map[string]string{
		// The three numbers
		"right":         isRight,
		"furtherRates":  "Further rates are below, under Scores.",
		"judgeFails":    "judge fails it",
		"judgePasses":   "judge passes it",
		"read":          "What is there to read?",
		"disagreements": "Judge and reference decide differently on them. " + whoIsWrong,
		"readFirst":     "Read first: ",
		"readMissed":    "Read what was missed, and the false alarms",

		"groups": "Why calls fail",

		// The table of calls
		"noScripts":     "The table needs scripts; the sections below do not.",
		"searchIn":      "text, id, tool",
		"withFlag":      "with a flag",
		"changed":       "changed",
		"judgesDiffer":  "judges differ",
		"whereDiffer":   "on which judges differ",
		"withMissing":   "with a missing score",
		"fileHolds":     "this file holds the # to read first, of #; all of them: ",
		"noLogs":        "The conversations are missing: #.",
		"notHere":       "This is not in the file. Everything: ",
		"nothing":       "Nothing matches the filters.",
		"foundAmong":    " found among the # only.",
		"showMore":      "Show # more of #",
		"callsFail":     "fails on # of #",
		"firstOnly":     "This file holds the first conversations only. All of them: judge view RUN",
		"judgesCall":    "The call and its scores",
		"callsOfList":   "The list",
		"filterCalls":   "Filter",
		"threeNumbers":  "The three numbers",
		"waiting":       "Reading the scores of #.",
		"labelMeantime": "You can label meanwhile.",

		// A call
		"whatScoresSay":  "What judge, scorers and labels say",
		"noConversation": "The conversation is missing. #",
		"badArguments":   "The arguments could not be read: #",
		"noCallRight":    "The right answer here is no call.",
		"noPartner":      "No expected call matches this one. Expected were:",
		"sameCall":       "✓ the same call",
		"notApplicable":  "Not applicable here: #.",
		"correction":     "the judge's correction",
		"wholeScores":    "Of the whole conversation: #",
		"judgeSawNoMore": "the judge of this call did not see what follows",
		"judgedCall":     "the judged call ",
		"turnBegins":     "the judged turn begins here",
		"withResult":     "with its result",
		"wholeTitle":     "Whole conversation",
		"noResult":       "no result in the log",
		"resultError":    "result, an error",
		"resultHidden":   "#, which the judge did not see",
		"definitionOf":   "definition of #",

		// A call in judge view
		"sideBySide":  "Side by side",
		"otherRun":    "The conversation in #",
		"otherCall":   "The call in #, and here",
		"prompts":     "Prompts, exactly as sent",
		"notSent":     "It was not sent.",
		"partial":     "Part of a run: #.",
		"uncompared":  "What changed between the runs is not known: #.",
		"provisional": "Only the first disagreements are known yet; the others follow.",
		"logsUnread":  "The logs are still being read: a search finds only a part.",
		"readAgain":   "The run has grown: the list is new; reload the page to update the numbers above.",
		"serverGone":  "judge view does not answer any more: start it again",

		// Labelling
		"toReport":    "← the report",
		"pass":        "the call is right",
		"fail":        "the call is wrong",
		"answer":      "the answer is #",
		"noMatter":    "the question does not apply",
		"defer":       "cannot be decided: leave it",
		"note":        "write a note, Enter keeps it",
		"undo":        "take the last label or note back",
		"help":        "what the keys do",
		"noteKeys":    "Note; Enter keeps it, Escape leaves it",
		"whatWasSaid": "What judge and scorers said",
		"emptyQueue":  "There is nothing to label in this queue.",
		"theTool":     "The tool's definition",
		"notLabelled": "Not labelled yet",
		"revealed":    " (you have seen the judge's verdict)",
		"byRubric":    "Label by the rubric # only. ",
		"progress":    "#: # of # labelled",
		"picked":      ". These calls are picked: they do not count in any estimate.",
		"allDone":     ". All done: judge calibrate says whether more labels are worth it.",
		"notKept":     "# Your last input was not saved.",
		"yours":       "# #: you #, judge ",

		// Runs over time
		"otherInstrument": "Do not compare with the row above: another judge, prompt, rubric or threshold",
		"otherTasks":      "Do not compare with the row above: no task in common",
	}
}

// The page and the first screen share these.
const (
	isRight    = "How often is the agent right?"
	canTrust   = "Can you trust this judge?"
	whoIsWrong = "Who is wrong: the judge, the reference, or nobody (two valid ways to do it)?"
)

// NoRates says what the strongest scorer measured, if no judge and no label rates the agent.
func NoRates(r *report.Report) string {
	if row := scorerRow(r, len(r.Judges()) == 0); row != nil {
		return scorerSentence(r, row)
	}
	return "Nothing in this run says whether a call is right."
}

// NoTrust says why nothing is known about a run's judges.
func NoTrust(r *report.Report) string {
	if len(r.Judges()) == 0 {
		return strings.Join(append([]string{"No judge was asked in this run."}, unjudged(r, "")...), " ")
	}
	return untrusted(r, "")
}

// RateLine says what decides a rate on the page, its range and what is known about the judge's mistakes.
func RateLine(h *report.HeadlineRate, alpha float64) string {
	text := RateBy(h)
	if r := h.Rate; r.HasInterval() {
		text += fmt.Sprintf("; %s to %s with %s confidence", Fixed(100**r.Low, 0), Share(*r.High, 0), Short(100*(1-alpha))+" %")
	}
	if note := RateNote(h); note != "" {
		text += "; " + note
	}
	return text
}
