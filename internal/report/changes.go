package report

// Changes says, conversation by conversation, what changed between two runs according to the score
// that decides.
type Changes struct {
	// By is the score that decides: the primary endpoint, or without one the score with the
	// clearest change.
	By Instrument `json:"by"`
	// Worse and Better count the conversations in which fewer or more calls pass; Same counts the
	// others.
	Worse  int `json:"worse"`
	Better int `json:"better"`
	Same   int `json:"same"`
	// Split is the probability of a split at least as uneven if nothing has changed (an exact
	// two-sided sign test); nil without changes.
	Split *float64 `json:"p_split"`
	// Tools names the tools of the calls that pass in only one of the runs, most frequent first.
	Tools []string `json:"tools"`
	// Items lists the first changed conversations: the largest drops, then the improvements.
	Items []ConversationChange `json:"items"`
	// All lists the ids of all changed conversations. It is set while a comparison is made and is
	// not part of the JSON.
	All []string `json:"-"`
}

// ConversationChange is a conversation that got worse or better.
type ConversationChange struct {
	ConversationID string `json:"conversation_id"`
	Place          string `json:"place,omitempty"`
	Worse          bool   `json:"worse"`
	// A and B are the shares of its calls that pass, or its own verdict as 1 or 0.
	A float64 `json:"a"`
	B float64 `json:"b"`
	// Old and New are the call that changed, if the logs could be read.
	Old *ChangedCall `json:"old,omitempty"`
	New *ChangedCall `json:"new,omitempty"`
	// Why is the reason of the failing call; Scores names the scores whose verdict changed with it.
	Why    string   `json:"why,omitempty"`
	Scores []string `json:"scores,omitempty"`
}

// ChangedCall is a call in one of the runs.
type ChangedCall struct {
	ConversationID string `json:"conversation_id"`
	CallIndex      int    `json:"call_index"`
	// Text is the call as in the log: refund_payment(amount: 5).
	Text string `json:"text"`
}

// GroupChange is a group of failing calls, with the number of calls in each of two runs.
type GroupChange struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Tool      string `json:"tool"`
	Kind      string `json:"kind"`
	Parameter string `json:"parameter"`
	A         int    `json:"a"`
	B         int    `json:"b"`
}
