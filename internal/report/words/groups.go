package words

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// GroupName says why the calls of a group fail: "refund_payment: amount is text, the schema says
// number". meaning is the meaning of the group's kind, "" if unknown.
func GroupName(g *report.FailureGroup, meaning string) string {
	const most = 100
	text := groupReason(g, meaning)
	if g.Tool != "" {
		return Shorten(g.Tool, 40) + ": " + Shorten(text, most)
	}
	if len(g.Tools) == 0 {
		return Shorten(text, most)
	}
	tools := make([]string, len(g.Tools))
	for i, tool := range g.Tools {
		tools[i] = Shorten(tool, 40)
	}
	return Shorten(text, most) + ": " + Some(tools, 2)
}

// groupReason says what is wrong with a group's calls, without their tool.
func groupReason(g *report.FailureGroup, meaning string) string {
	_, keyword, ofSchema := strings.Cut(g.Kind, ": ")
	broken := keywords[keyword]
	switch {
	case ofSchema && keyword == "required" && g.Parameter != "":
		return g.Parameter + " is missing, the schema requires it"
	case ofSchema && keyword == "type" && g.Parameter != "" && g.Message != "":
		return g.Parameter + " " + schemaWords.Replace(g.Message)
	case ofSchema && broken != "" && g.Parameter != "":
		return g.Parameter + ": " + broken
	case ofSchema && broken != "":
		return broken
	case g.Message != "":
		return g.Message
	case g.Parameter != "":
		return g.Parameter + ": " + kindWords(g.Kind, meaning)
	}
	return kindWords(g.Kind, meaning)
}

// kindWords says what a kind of failure is.
func kindWords(kind, meaning string) string {
	if meaning != "" {
		return meaning
	}
	return "fails " + kind
}

var schemaWords = strings.NewReplacer("is a string", "is text", ", must be", ", the schema says")

// keywords says what it means to break a keyword of a schema.
var keywords = map[string]string{
	"type":                 "another type than the schema says",
	"required":             "a required parameter is missing",
	"enum":                 "a value that is not in the schema's enum",
	"const":                "a value that the schema does not allow",
	"additionalProperties": "a parameter that the schema does not have",
	"format":               "a value of another format than the schema says",
	"pattern":              "a value of another form than the schema says",
	"arguments":            "the arguments cannot be read",
	"name":                 "a tool that does not exist",
}

// GroupLine returns a group in one line: "7 × refund_payment: amount is text, the schema says number (c12:3)".
func GroupLine(g *report.FailureGroup) string {
	at := g.Example.CaseRef
	at.ConversationID = Shorten(at.ConversationID, 40)
	return fmt.Sprintf("%d × %s (%s)", g.Count, GroupTitle(g), at.ItemName())
}

// GroupTitle returns the name of a group. A name from a model comes first and is marked as the model's.
func GroupTitle(g *report.FailureGroup) string {
	if g.Given == nil {
		return g.Name
	}
	return fmt.Sprintf("“%s” (named by %s): %s", g.Given.Name, Shorten(g.Given.Model, 40), g.Name)
}

const groupsName = "Why calls fail"

// groupSection lists the groups of failing calls.
func groupSection(r *report.Report) Section {
	t := NewTable("rrlll", cmp.Or(r.Failing.By.Level, report.CallLevel)+"s", "of all", "why", "first", "group")
	for i := range r.FailureGroups {
		g := &r.FailureGroups[i]
		t.Add(g.Count, Share(g.Share, 0), g.Name, whereabouts(g.First), g.ID)
	}
	note := ""
	if left := r.Failing.Groups - len(r.FailureGroups); left > 0 {
		note = Counted(left, "smaller group") + " not listed."
	}
	s := section(groupsName, fmt.Sprintf("Why %ss fail: %s", r.Failing.By.Level,
		Counted(r.Failing.Groups, "group")), t, note)
	for i := range r.FailureGroups {
		if g := &r.FailureGroups[i]; g.Given != nil {
			s.Note(fmt.Sprintf("%s in the words of %s: “%s” %s", g.ID, Shorten(g.Given.Model, 40), g.Given.Name,
				g.Given.Sentence))
		}
	}
	return s
}
