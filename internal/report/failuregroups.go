package report

import "slices"

// FailureGroup is a group of calls that fail for the same reason.
type FailureGroup struct {
	// ID is a hash of Tool, Kind, Parameter and Message, so that a group keeps its id from run to
	// run.
	ID string `json:"id"`
	// Name says in words what goes wrong.
	Name string `json:"name"`
	// Tool and Parameter are "" if the group has none or several.
	Tool string `json:"tool"`
	// Kind is a category, a rule of the judge, a keyword of the schema, or else the rubric or
	// scorer.
	Kind      string `json:"kind"`
	Parameter string `json:"parameter"`
	// Message is the reason of a scorer or rule, with … for values.
	Message string `json:"message,omitempty"`
	// Count is the number of calls, Share their share of all failing calls.
	Count int     `json:"count"`
	Share float64 `json:"share"`
	// First is the first call in the log, Example the call that most other scores fail too.
	First   CaseRef     `json:"first"`
	Example FailingItem `json:"example"`
	// Calls lists the first calls, in the form that judge show accepts: "CONVERSATION:CALL".
	Calls []string `json:"calls"`
	// Tools lists the tools of the calls, most frequent first.
	Tools []string `json:"tools"`
	// Given is the name that a model gave the group; nil if none.
	Given *GivenName `json:"given_name,omitempty"`
	// Merged lists the ids of the group's reasons, if there are several.
	Merged []string `json:"merged,omitempty"`
}

// GivenName is a name of two to five words, and a sentence, both written by a model.
type GivenName struct {
	Name     string `json:"name"`
	Sentence string `json:"sentence"`
	Model    string `json:"model"`
}

// GroupOf returns the group that contains the failures with this id; nil if none.
func (r *Report) GroupOf(id string) *FailureGroup {
	for i := range r.FailureGroups {
		g := &r.FailureGroups[i]
		if g.ID == id || slices.Contains(g.Merged, id) {
			return g
		}
	}
	return nil
}
