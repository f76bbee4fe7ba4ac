package report

import "slices"

// FailureGroup is a group of failing calls that fail for one reason.
type FailureGroup struct {
	// ID is a hash of Tool, Kind, Parameter and Message, so that a group keeps it from run to run.
	ID string `json:"id"`
	// Name says in words what goes wrong.
	Name string `json:"name"`
	// Tool and Parameter are "" if the group has several, or none.
	Tool string `json:"tool"`
	// Kind is a category, a rule of the judge, a keyword of the schema, or else the rubric or scorer.
	Kind      string `json:"kind"`
	Parameter string `json:"parameter"`
	// Message is a scorer's or rule's reason, with … for values.
	Message string `json:"message,omitempty"`
	// Count is the number of calls, Share that of all that fail.
	Count int     `json:"count"`
	Share float64 `json:"share"`
	// First is the first call in the log, Example the one that most other scores fail too.
	First   CaseRef     `json:"first"`
	Example FailingItem `json:"example"`
	// Calls are the first of the calls, as judge show takes them: "CONVERSATION:CALL".
	Calls []string `json:"calls"`
	// Tools are the tools of the calls, the most frequent first.
	Tools []string `json:"tools"`
	// Given is the name that a model gave the group, nil for none.
	Given *GivenName `json:"given_name,omitempty"`
	// Merged are the ids of the reasons in the group if these are several.
	Merged []string `json:"merged,omitempty"`
}

// GivenName is a name of two to five words and a sentence in the words of a model.
type GivenName struct {
	Name     string `json:"name"`
	Sentence string `json:"sentence"`
	Model    string `json:"model"`
}

// GroupOf returns the group that holds the failures with an id, nil if none does.
func (r *Report) GroupOf(id string) *FailureGroup {
	for i := range r.FailureGroups {
		g := &r.FailureGroups[i]
		if g.ID == id || slices.Contains(g.Merged, id) {
			return g
		}
	}
	return nil
}
