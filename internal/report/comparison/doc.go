// Package comparison owns what changed from one run to another: it pairs the items that
// both scored, item by item or by conversation where the agent made other calls, and says
// how much each score changed, whether that is more than noise, and which verdicts
// flipped.
//
// It promises that only what both runs scored is compared and the rest counted; that
// differences are paired, their intervals clustered by conversation and their p values
// corrected for the number of rows; and that whatever else differs between the runs, as
// a model, a prompt or a threshold, is named beside.
package comparison
