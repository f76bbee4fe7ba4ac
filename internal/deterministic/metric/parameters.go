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
	// SameName says that the call made has the expected name.
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

// PresenceRate is Present/N, nil where N is 0.
func (r ParameterRow) PresenceRate() *float64 { return ratio(r.Present, r.N) }

// ValueRate is Equal/N, nil where N is 0.
func (r ParameterRow) ValueRate() *float64 { return ratio(r.Equal, r.N) }

// Tools builds the table from pairs: which tool goes wrong, and in which parameter.
// Tools and parameters come sorted by name. Values compare by value.Equal.
func Tools(pairs []Pair) []ToolRow {
	rows := map[string]*ToolRow{}
	parameters := map[[2]string]*ParameterRow{}
	at := func(tool, name string) *ParameterRow {
		key := [2]string{tool, name}
		if parameters[key] == nil {
			parameters[key] = &ParameterRow{Parameter: name}
		}
		return parameters[key]
	}
	for _, p := range pairs {
		row := rows[p.Tool]
		if row == nil {
			row = &ToolRow{Tool: p.Tool}
			rows[p.Tool] = row
		}
		if p.Expected.IsNull() {
			row.Unexpected++
			continue
		}
		row.Expected++
		if !p.SameName || p.Actual.IsNull() {
			continue
		}
		row.Made++
		for name, want := range p.Expected.Members() {
			r := at(p.Tool, name)
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
				at(p.Tool, name).Invented++
			}
		}
	}
	for key, r := range parameters {
		rows[key[0]].Parameters = append(rows[key[0]].Parameters, *r)
	}
	out := make([]ToolRow, 0, len(rows))
	for _, row := range rows {
		slices.SortFunc(row.Parameters, func(a, b ParameterRow) int { return strings.Compare(a.Parameter, b.Parameter) })
		out = append(out, *row)
	}
	slices.SortFunc(out, func(a, b ToolRow) int { return strings.Compare(a.Tool, b.Tool) })
	return out
}
