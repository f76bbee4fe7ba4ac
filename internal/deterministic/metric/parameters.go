package metric

import (
	"maps"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Pair is an expected call with the call that was made for it.
type Pair struct {
	// Tool is the name of the expected call or, without one, of the call.
	Tool string
	// Expected and Actual are arguments, as objects; null if there is no such call.
	Expected, Actual value.Value
	// SameName says that the made call has the expected name.
	SameName bool
}

// ToolRow is one tool of the table.
type ToolRow struct {
	Tool string
	// Expected counts the expected calls, Made those that were paired with a call of the same name,
	// Unexpected the calls without an expected one.
	Expected, Made, Unexpected int
	Parameters                 []ParameterRow
}

// ParameterRow is one parameter of a tool.
type ParameterRow struct {
	Parameter string
	// N counts the made calls in which the parameter was expected, Present those that have it,
	// Equal those that have it with the expected value. Invented counts the made calls that have it
	// although it was not expected.
	N, Present, Equal, Invented int
}

// The names of the rows for everything that does not fit in a Table. No function or argument can
// have these names.
const (
	otherTools      = "(other tools)"
	otherParameters = "(other parameters)"
)

// Table counts pairs: which tool goes wrong, and in which parameter. Its memory is limited, because
// a log may invent any number of tools and parameters. Values compare by value.Equal.
type Table struct {
	maxTools, maxParameters int
	tools                   map[string]*toolCounts
}

type toolCounts struct {
	ToolRow
	parameters map[string]*ParameterRow
}

// NewTable returns a table with a limited number of rows for tools, and for each tool's parameters.
// The first ones get a row each, the others share one. 0 means no limit.
func NewTable(maxTools, maxParameters int) *Table {
	return &Table{maxTools: maxTools, maxParameters: maxParameters, tools: map[string]*toolCounts{}}
}

// row returns the row with this name, or the one for all others if the table is full.
func row[R any](rows map[string]*R, most int, name, others string) *R {
	if rows[name] == nil && most > 0 && len(rows) >= most {
		name = others
	}
	if rows[name] == nil {
		rows[strings.Clone(name)] = new(R)
	}
	return rows[name]
}

// Add counts a pair.
func (t *Table) Add(p Pair) {
	tool := row(t.tools, t.maxTools, p.Tool, otherTools)
	if p.Expected.IsNull() {
		tool.Unexpected++
		return
	}
	tool.Expected++
	if !p.SameName || p.Actual.IsNull() {
		return
	}
	tool.Made++
	if tool.parameters == nil {
		tool.parameters = map[string]*ParameterRow{}
	}
	for name, want := range p.Expected.Members() {
		r := row(tool.parameters, t.maxParameters, name, otherParameters)
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
			row(tool.parameters, t.maxParameters, name, otherParameters).Invented++
		}
	}
}

// Rows returns the counts, with tools and parameters sorted by name.
func (t *Table) Rows() []ToolRow {
	out := make([]ToolRow, 0, len(t.tools))
	for _, name := range slices.Sorted(maps.Keys(t.tools)) {
		tool := t.tools[name]
		tool.ToolRow.Tool, tool.ToolRow.Parameters = name, nil
		for _, parameter := range slices.Sorted(maps.Keys(tool.parameters)) {
			r := tool.parameters[parameter]
			r.Parameter = parameter
			tool.ToolRow.Parameters = append(tool.ToolRow.Parameters, *r)
		}
		out = append(out, tool.ToolRow)
	}
	return out
}
