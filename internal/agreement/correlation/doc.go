// Package correlation owns how two columns of numbers go together: Pearson's,
// Spearman's and Kendall's coefficients, and the agreement of two graded scores
// on one scale, with the bias and the limits of their differences.
package correlation
