// Package series owns the scores of one run, or of two that are compared, in memory: a
// series for each instrument, the walk over the items that several of them met, the
// pairing of two, and the reduction of a conversation's calls to one score. Rooms that
// compare or sum up stand on it and read no stream themselves.
//
// It promises that items come by conversation and call whatever the order of the stream;
// that of one instrument's scores for an item one counts and the others are counted as
// duplicates; and that a line that is no score is counted and left out. What it holds
// takes a byte or two a score (see room scoreset).
package series
