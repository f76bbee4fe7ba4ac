package score

// Construct names what a scorer measures. Two instruments are compared if they measure the same.
type Construct string

// The constructs, from the strongest to the weakest evidence.
const (
	// EndState: the state after the calls.
	EndState Construct = "end_state"
	// EquivalentCalls and ExpectedCalls: a match with the expected calls, by meaning or literally.
	// ExpectedShare grades that match.
	EquivalentCalls Construct = "equivalent_calls"
	ExpectedCalls   Construct = "expected_calls"
	ExpectedShare   Construct = "expected_share"
	// Recovery: what the agent does after a failed call.
	Recovery Construct = "recovery"
	// Form: arguments that match the tool's definition.
	Form Construct = "form"
	// RequiredCalls: calls that some rule requires or forbids.
	RequiredCalls Construct = "required_calls"
	// ToolName: the name of the tool alone.
	ToolName Construct = "tool_name"
)

// Strength says how much a verdict proves about a call.
type Strength string

// The strengths. Only labels are Gold.
const (
	Weak   Strength = "weak"
	Strong Strength = "strong"
	Gold   Strength = "gold"
)

// Evidence says what a pass proves and what a fail proves.
type Evidence struct {
	Pass Strength `json:"pass"`
	Fail Strength `json:"fail"`
}

// Need names something that a log must contain before a scorer can score it.
type Need string

// The needs of scorers.
const (
	NeedsTools         Need = "tools"
	NeedsResults       Need = "results"
	NeedsExpectedCalls Need = "expected_calls"
	NeedsState         Need = "state"
)

// Layer is a stage that a call must pass to lead to the right result.
type Layer string

// The layers in their order.
const (
	SchemaLayer    Layer = "schema"
	ASTLayer       Layer = "ast"
	ExecutionLayer Layer = "execution"
)

// Meaning says what a score means. The zero value means a rule of thumb.
type Meaning struct {
	// Measures is "" for a scorer of a single aspect.
	Measures Construct `json:"measures,omitempty"`
	Evidence Evidence  `json:"evidence,omitzero"`
	// Layer is the stage that the score decides; "" if there is none.
	Layer Layer `json:"layer,omitempty"`
}

// MetricFacts says what one score means, of a scorer that gives several.
type MetricFacts struct {
	Name string `json:"name"`
	Meaning
}

// Facts holds what is known about a scorer. They are in the scorer's row, and the manifest of a run
// carries them, so that later readers of the scores need no list of scorers.
type Facts struct {
	Meaning
	Needs Need `json:"needs,omitempty"`
	// OfCalls says that the scorer scores single calls, not whole conversations.
	OfCalls bool `json:"of_calls,omitempty"`
	// ToolsIn names the member of a score's details that lists tools which the conversation
	// involves; "" if there is none.
	ToolsIn string `json:"tools_in,omitempty"`
	// Metrics holds the scores that a scorer gives instead of one.
	Metrics []MetricFacts `json:"metrics,omitempty"`
}

// UsesReference reports whether the scorer compares with what the log expects.
func (f *Facts) UsesReference() bool { return f.Needs == NeedsExpectedCalls || f.Needs == NeedsState }

// Of returns what a metric's scores mean; for "" and an unknown metric, what the scorer's own
// scores mean.
func (f *Facts) Of(metric string) Meaning {
	for _, m := range f.Metrics {
		if m.Name == metric {
			return m.Meaning
		}
	}
	return f.Meaning
}
