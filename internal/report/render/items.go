package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// itemRow is a score with its item. Value is on the scale of the rubric or scorer, nil unless
// Status is scored. CallIndex is nil for a score of the whole conversation. Correction and Details
// hold JSON or null, Flags the codes separated by commas.
type itemRow struct {
	RunID          string   `parquet:"run_id,dict"`
	ConversationID string   `parquet:"conversation_id"`
	CallIndex      *int64   `parquet:"call_index,optional"`
	CallID         string   `parquet:"call_id"`
	Tool           string   `parquet:"tool,dict"`
	Place          string   `parquet:"place"`
	Source         string   `parquet:"source,dict"`
	Judge          string   `parquet:"judge,dict"`
	Name           string   `parquet:"name,dict"`
	Metric         string   `parquet:"metric,dict"`
	Status         string   `parquet:"status,dict"`
	Value          *float64 `parquet:"value,optional"`
	Passed         *bool    `parquet:"passed,optional"`
	Label          string   `parquet:"label,dict"`
	Confidence     *float64 `parquet:"confidence,optional"`
	Flags          string   `parquet:"flags,dict"`
	Explanation    string   `parquet:"explanation"`
	Evidence       string   `parquet:"evidence"`
	Correction     string   `parquet:"correction,optional"`
	Details        string   `parquet:"details,optional"`
	ErrorKind      string   `parquet:"error_kind,dict"`
	ErrorMessage   string   `parquet:"error_message"`
	Purpose        string   `parquet:"purpose,dict"`
	RubricSHA      string   `parquet:"rubric_sha,dict"`
}

// itemColumns returns the names of the columns in order.
func itemColumns() []string {
	var names []string
	for _, c := range parquet.SchemaOf(itemRow{}).Fields() {
		names = append(names, c.Name())
	}
	return names
}

func itemRowOf(run string, s *score.Score) itemRow {
	r := itemRow{
		RunID: run, ConversationID: s.ConversationID, CallID: s.CallID, Tool: s.Tool, Place: s.Place,
		Source: string(s.Source), Judge: s.Judge, Name: s.Name, Metric: s.Metric, Status: string(s.Status),
		Value: s.Value, Passed: s.Passed, Label: s.Label, Confidence: s.Confidence, Explanation: s.Explanation,
		Evidence: s.Evidence, Correction: orNoJSON(s.Correction), Details: orNoJSON(s.Details), Purpose: s.Purpose,
		RubricSHA: s.RubricSHA,
	}
	if s.CallIndex != nil {
		index := int64(*s.CallIndex)
		r.CallIndex = &index
	}
	codes := make([]string, len(s.Flags))
	for i, f := range s.Flags {
		codes[i] = f.Code
	}
	r.Flags = strings.Join(codes, ",")
	if s.Error != nil {
		r.ErrorKind, r.ErrorMessage = s.Error.Kind, s.Error.Message
	}
	return r
}

// orNoJSON returns a value as JSON; "" for null.
func orNoJSON(v value.Value) string {
	if v.IsNull() {
		return ""
	}
	return v.JSON()
}

// ItemsCSV writes the names of the columns, then a row per score, in order. A missing value is an
// empty cell. Memory does not grow with the run. A text that a spreadsheet would take for a formula
// gets a leading apostrophe; control characters and invisible ones are written out.
func ItemsCSV(w io.Writer, run string, scores iter.Seq2[score.Score, error]) error {
	out := csv.NewWriter(w)
	if err := out.Write(itemColumns()); err != nil {
		return fmt.Errorf("write items: %w", err)
	}
	for s, err := range scores {
		if err != nil {
			return err
		}
		if err := out.Write(itemCells(itemRowOf(run, &s))); err != nil {
			return fmt.Errorf("write items: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write items: %w", err)
	}
	return nil
}

// itemCells returns the cells of a row in the order of the columns.
func itemCells(r itemRow) []string {
	number := func(f *float64) string {
		return optional(f, func(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) })
	}
	return []string{
		plain(r.RunID), plain(r.ConversationID),
		optional(r.CallIndex, func(i int64) string { return strconv.FormatInt(i, 10) }),
		plain(r.CallID), plain(r.Tool), plain(r.Place), r.Source, plain(r.Judge), plain(r.Name), plain(r.Metric), r.Status,
		number(r.Value), optional(r.Passed, strconv.FormatBool), plain(r.Label), number(r.Confidence),
		plain(r.Flags), plain(r.Explanation), plain(r.Evidence), inJSON(r.Correction), inJSON(r.Details),
		plain(r.ErrorKind), plain(r.ErrorMessage), plain(r.Purpose), r.RubricSHA,
	}
}

func optional[T any](v *T, text func(T) string) string {
	if v == nil {
		return ""
	}
	return text(*v)
}

// plain prevents a spreadsheet from reading a text as a formula, and a terminal from obeying it.
func plain(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 {
		s = "'" + s
	}
	return value.VisibleLines(s)
}

// inJSON does the same as plain for JSON text, which keeps its value.
func inJSON(s string) string { return plain(string(value.VisibleJSON([]byte(s)))) }

// ItemsParquet writes the rows and columns of ItemsCSV as a Parquet file with zstd compression,
// with null for missing values.
func ItemsParquet(w io.Writer, run string, scores iter.Seq2[score.Score, error]) error {
	const groupRows = 50_000 // rows that are held before they are written
	out := parquet.NewGenericWriter[itemRow](w, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("judge", "", ""),
		parquet.MaxRowsPerRowGroup(groupRows))
	for s, err := range scores {
		if err != nil {
			return err
		}
		if _, err := out.Write([]itemRow{itemRowOf(run, &s)}); err != nil {
			return fmt.Errorf("write items: %w", err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write items: %w", err)
	}
	return nil
}
