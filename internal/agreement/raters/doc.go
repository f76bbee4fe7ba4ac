// Package raters compares columns of ratings: agreement beyond chance (Cohen's, Scott's and Fleiss'
// kappa, plain and clustered, Gwet's coefficients, Krippendorff's alpha, intraclass correlation,
// repeated runs of one rater), the rank and linear correlations of two columns, the agreement of
// two graded scores, and the labels that raters of unknown quality imply (Dawid and Skene). The
// caller declares the scales of categories.
package raters
