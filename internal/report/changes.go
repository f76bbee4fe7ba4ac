package report

// Changes holds what changed between two runs by the score that decides, conversation by conversation.
type Changes struct {
	// By is the score: the primary endpoint, or without one the score with the clearest change.
	By Instrument `json:"by"`
	// Worse and Better count the conversations in which fewer or more calls pass, Same the others.
	Worse  int `json:"worse"`
	Better int `json:"better"`
	Same   int `json:"same"`
	// Split is the probability of a split as uneven as this if nothing has changed (an exact two-sided
	// sign test); nil without changes.
	Split *float64 `json:"p_split"`
	// Tools names the tools of the calls that pass in only one of the runs, the most frequent first.
	Tools []string `json:"tools"`
	// Items are the first of them: the largest drops, then what got better.
	Items []ConversationChange `json:"items"`
	// All names every one of them; it is known while a comparison is made, and not in its JSON form.
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
	// Old and New are the call that changed, as far as the logs could be read.
	Old *ChangedCall `json:"old,omitempty"`
	New *ChangedCall `json:"new,omitempty"`
	// Why is the reason of the call that fails, Scores name what changed its verdict with it.
	Why    string   `json:"why,omitempty"`
	Scores []string `json:"scores,omitempty"`
}

// ChangedCall is a call of one run.
type ChangedCall struct {
	ConversationID string `json:"conversation_id"`
	CallIndex      int    `json:"call_index"`
	// Text is the call as the log has it: refund_payment(amount: 5).
	Text string `json:"text"`
}

// GroupChange is a group of failing calls in two runs, with the number of calls in each.
type GroupChange struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Tool      string `json:"tool"`
	Kind      string `json:"kind"`
	Parameter string `json:"parameter"`
	A         int    `json:"a"`
	B         int    `json:"b"`
}
