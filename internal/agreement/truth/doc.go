// Package truth owns the comparison of predictions with binary gold: the confusion table
// and its measures, the areas under the ROC and the precision-recall curve, the search
// for a threshold; whether a stated confidence means what it says (Brier score,
// calibration error, isotonic and Platt maps, the confidence from which on verdicts may
// be trusted); and the agent's quality where a judge has scored everything and people
// have labelled a little (clustered prediction-powered estimates). Positive means pass.
package truth
