package words

// These are for tests from outside, which build reports.
var (
	ComparedRows = comparedRows
	GoldWords    = goldWords
	KappaMap     = kappaMap
	KappaColour  = kappaColour

	ConversationsFor = conversationsFor
	AgentSections    = agentSections
)
