// Package series owns the scores of one run, or of two that are compared, in memory: a
// series for each instrument, the walk over the items that several of them met, the
// pairing of two, and the reduction of a conversation's calls to one score. Packages that
// compare or sum up stand on it and read no stream themselves.
//
// It promises that items come by conversation and call whatever the order of the stream;
// that of one instrument's scores for an item one counts and the others are counted as
// duplicates; that a score that is missing stays apart from every number; and that a line
// that is no score is counted and left out.
//
// Memory: a score takes 16 bytes, up to 20 while a series grows. A call takes 16 and its
// place in a map, a conversation its id and about 70.
package series
