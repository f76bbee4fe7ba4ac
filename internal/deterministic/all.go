package deterministic

// All lists every scorer in the order of reports. A new scorer is one file, one word here, its
// cases, and a section of docs/scorers.md.
var All = []Scorer{
	Coverage, Accuracy, ExactMatch, ParameterValidation, NameMatch, ToolCalls, SchemaCheck, ASTEquivalence,
	ExecutionCheck, ThreeLayer, TrajectoryMatch, RubricVerdict, CallRelevance, ErrorRecovery, ToolEfficiency,
	ExpectedCallMatch,
}
