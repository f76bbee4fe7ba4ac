// Package truth compares predictions with binary gold: the confusion table and its measures, the
// areas under the ROC and the precision-recall curve, the search for a threshold, and how well a
// stated confidence predicts right verdicts (Brier score, overconfidence). It also estimates the
// agent's quality if a judge has scored everything and people have labelled a part (clustered
// prediction-powered estimates). Positive means pass.
package truth
