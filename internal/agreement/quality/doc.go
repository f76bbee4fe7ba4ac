// Package quality owns what the agent's quality is when a judge has scored
// everything and people have labelled a little: prediction-powered estimates,
// plain, stratified and clustered, pass rates corrected for the judge's known
// errors, active labelling, and the order in which people should look at
// disagreements (from which quality must never be estimated).
package quality
