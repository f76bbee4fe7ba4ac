package metric

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Pair is an expected call and the call that was made for it.
type Pair struct {
	// Tool is the name of the expected call, or of the call where none was expected.
	Tool string
	// Expected and Actual are arguments, objects; null where there is no such call.
	Expected, Actual value.Value
	// SameName means that the call made has the expected name.
	SameName bool
}

// ToolRow is one tool of the table.
type ToolRow struct {
	Tool string
	// Expected counts the expected calls, Made those that some call of the same name
	// was paired with, Unexpected the calls without an expected one.
	Expected, Made, Unexpected int
	Parameters                 []ParameterRow
}

// ParameterRow is one parameter of a tool.
type ParameterRow struct {
	Parameter string
	// N counts the calls made in which the parameter was expected, Present those that
	// have it, Equal those that have it with the expected value, Invented the calls
	// made that have it though it was not expected.
	N, Present, Equal, Invented int
}

// The names of the rows for what a Table has no room for. No function or argument
// can be called so.
const (
	otherTools      = "(other tools)"
	otherParameters = "(other parameters)"
)

// Table counts pairs as they come: which tool goes wrong, and in which parameter.
// Its memory is bounded: a log may invent tools and parameters without end. Values
// compare by value.Equal.
type Table struct {
	maxTools, maxParameters int
	tools                   map[string]*toolCounts
}

type toolCounts struct {
	ToolRow
	parameters map[string]*ParameterRow
}

// NewTable makes a table with a row for so many tools and, for each, so many
// parameters, those that come first; the others share one row each. 0 is no bound.
func NewTable(maxTools, maxParameters int) *Table {
	return &Table{maxTools: maxTools, maxParameters: maxParameters, tools: map[string]*toolCounts{}}
}

func (t *Table) tool(name string) *toolCounts {
	row := t.tools[name]
	if row == nil && t.maxTools > 0 && len(t.tools) >= t.maxTools {
		name = otherTools
		row = t.tools[name]
	}
	if row == nil {
		row = &toolCounts{ToolRow: ToolRow{Tool: strings.Clone(name)}, parameters: map[string]*ParameterRow{}}
		t.tools[row.Tool] = row
	}
	return row
}

func (t *Table) parameter(tool *toolCounts, name string) *ParameterRow {
	row := tool.parameters[name]
	if row == nil && t.maxParameters > 0 && len(tool.parameters) >= t.maxParameters {
		name = otherParameters
		row = tool.parameters[name]
	}
	if row == nil {
		row = &ParameterRow{Parameter: strings.Clone(name)}
		tool.parameters[row.Parameter] = row
	}
	return row
}

// Add counts a pair.
func (t *Table) Add(p Pair) {
	tool := t.tool(p.Tool)
	if p.Expected.IsNull() {
		tool.Unexpected++
		return
	}
	tool.Expected++
	if !p.SameName || p.Actual.IsNull() {
		return
	}
	tool.Made++
	for name, want := range p.Expected.Members() {
		r := t.parameter(tool, name)
		r.N++
		if got, ok := p.Actual.Get(name); ok {
			r.Present++
			if value.Equal(got, want) {
				r.Equal++
			}
		}
	}
	for name := range p.Actual.Members() {
		if !p.Expected.Has(name) {
			t.parameter(tool, name).Invented++
		}
	}
}

// Rows are the counts; tools and parameters come sorted by name.
func (t *Table) Rows() []ToolRow {
	out := make([]ToolRow, 0, len(t.tools))
	for _, tool := range t.tools {
		row := tool.ToolRow
		for _, r := range tool.parameters {
			row.Parameters = append(row.Parameters, *r)
		}
		byName := func(a, b ParameterRow) int { return strings.Compare(a.Parameter, b.Parameter) }
		slices.SortFunc(row.Parameters, byName)
		out = append(out, row)
	}
	slices.SortFunc(out, func(a, b ToolRow) int { return strings.Compare(a.Tool, b.Tool) })
	return out
}
