package words

import "github.com/judgekit/judge/internal/report"

// These are for tests from outside, which build reports.
var (
	ComparedRows = comparedRows
	GoldWords    = goldWords
	KappaMap     = kappaMap
	KappaColour  = kappaColour

	ConversationsFor = conversationsFor
	AgentSections    = agentSections
)

// SectionNamed returns the section of a report's details with this name.
func SectionNamed(r *report.Report, name string) Section {
	for _, s := range detailSections(r) {
		if s.Name == name {
			return s
		}
	}
	return Section{}
}
