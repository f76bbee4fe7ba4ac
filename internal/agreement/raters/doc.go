// Package raters owns the agreement of raters beyond chance and what follows
// from it: kappa (Cohen's, Scott's, Fleiss', plain and clustered), Gwet's
// coefficients, Krippendorff's alpha, intraclass correlation, Cronbach's alpha,
// repeated runs of one rater, and the labels that raters of unknown quality
// imply (Dawid and Skene). Scales of categories are declared by the caller.
package raters
