// Package classification owns the comparison of a prediction with binary gold:
// the confusion table and its measures, in all and per stratum, the areas under
// the ROC and the precision-recall curve, the search for a threshold, and the
// clustered intervals of all of these. Positive means pass.
package classification
