// Package coverage owns the standing simulation: worlds in which the truth is known, and how
// often the intervals and decisions of the product are right in them. It has tests alone.
// With -coverage-worlds they write docs/coverage.md; without, they hold the page against
// what reports print and against the least that it promises.
package coverage
