// Package truth owns the comparison of predictions with binary gold: the confusion table
// and its measures, the areas under the ROC and the precision-recall curve, the search
// for a threshold; how far a stated confidence is from the share of right verdicts (Brier
// score, overconfidence); and the agent's quality if a judge has scored everything and people
// have labelled a little (clustered prediction-powered estimates). Positive means pass.
package truth
