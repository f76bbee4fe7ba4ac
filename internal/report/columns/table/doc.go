// Package table owns the reading of tables of verdicts and scores that any tool may
// have written: CSV, TSV, JSON lines, and JSON documents that hold a list of rows,
// plain or gzipped. It keeps the asked columns only, 12 bytes a cell at most.
//
// It promises that a cell is either a number, a word or missing, and never changes
// from one into the other: what a word means is for the caller to say. Every word
// is counted with the line where it first stood. A row that cannot be read is
// skipped, counted and named; an error of the input itself ends the reading.
package table

import "fmt"

// Format is the form of a table.
type Format string

// The formats. JSON is one document that holds a list of rows.
const (
	CSV   Format = "csv"
	TSV   Format = "tsv"
	JSONL Format = "jsonl"
	JSON  Format = "json"
)

// Wanted names columns to keep.
type Wanted struct {
	// Pattern is a header of a CSV or TSV file, or the path of a field of a JSON row
	// with dots between keys (keys may hold dots themselves; list elements go by
	// number). A part "*" of a path stands for every key, "*" anywhere in a CSV header
	// for any text.
	Pattern string
	// Text keeps every cell as the word it is, for names of conversations and strata.
	Text bool
	// Rewrite, when not nil, replaces a word before it is kept, so that long texts
	// need no room. It must be pure.
	Rewrite func(word string) string
}

// Options say how a table is read. The zero Options with a Wanted column is useful.
type Options struct {
	// Format is the form, "" to find out.
	Format Format
	// Rows is the path of the list of rows inside a JSON document, "" for the
	// document itself.
	Rows    string
	Columns []Wanted
	// Missing are words that mean "no value", besides the built-in ones.
	Missing []string
	// Keep are words that are values although they are in the list of missing words.
	Keep []string
	// MaxRecord bounds one row in bytes; 0 means 16 MiB.
	MaxRecord int
}

// Problem is a row that could not be read.
type Problem struct {
	Line int
	Text string
}

// Table holds the wanted columns of a file.
type Table struct {
	Name   string
	Format Format
	Rows   int
	// Unreadable rows were skipped; Problems name the first of them.
	Unreadable int
	Problems   []Problem
	matched    [][]*Column
	all        []*Column
	lines      []uint32
}

// Columns are the columns that the n-th wanted pattern matched, in the order in
// which they were met.
func (t *Table) Columns(n int) []*Column { return t.matched[n] }

// Unit is what a position of a row counts: lines, or rows of a JSON document.
func (t *Table) Unit() string {
	if t.Format == JSON {
		return "row"
	}
	return "line"
}

// Line is the line of a row, from 1, or its place in a JSON document.
func (t *Table) Line(row int) int { return int(t.lines[row]) }

// Place names the position of a row for people.
func (t *Table) Place(row int) string { return t.At(t.Line(row)) }

// At names a line, or a row of a JSON document, for people.
func (t *Table) At(line int) string {
	if t.Format == JSON {
		return fmt.Sprintf("%s: row %d", t.Name, line)
	}
	return fmt.Sprintf("%s:%d", t.Name, line)
}

const (
	defaultMaxRecord = 16 << 20
	maxProblems      = 5
	maxColumns       = 500
	// maxWords bounds the different words of a column of ratings.
	maxWords = 10_000
	// maxIDs bounds the different names of a text column.
	maxIDs = 20_000_000
)

func (t *Table) problem(line int, format string, args ...any) {
	t.Unreadable++
	if len(t.Problems) < maxProblems {
		t.Problems = append(t.Problems, Problem{line, fmt.Sprintf(format, args...)})
	}
}
