package deterministic

// All lists every scorer in the order of reports. To add a scorer, write one file, add one word
// here, its cases, and a section in docs/scorers.md.
var All = []Scorer{
	Coverage, Accuracy, ExactMatch, ParameterValidation, NameMatch, ToolCalls, SchemaCheck, ASTEquivalence,
	ExecutionCheck, ThreeLayer, TrajectoryMatch, RubricVerdict, CallRelevance, ErrorRecovery, ToolEfficiency,
	ExpectedCallMatch,
}
