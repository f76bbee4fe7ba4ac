package render

import (
	"bytes"
	"encoding/csv"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

func someScores() iter.Seq2[score.Score, error] {
	call, half, no := 2, 0.5, false
	details, _ := value.ParseString(`{"b":90071992547409931,"a":1}`)
	return func(yield func(score.Score, error) bool) {
		_ = yield(score.Score{ConversationID: "c,1", CallIndex: &call, CallID: "k", Tool: "=HYPERLINK(1)", Name: "grounded",
			Source: score.Judge, Judge: "some-model", Status: score.Scored, Value: &half, Passed: &no, Confidence: &half,
			Explanation: "two\nlines \"quoted\"", Flags: []score.Flag{{Code: "short"}, {Code: "vague"}}, Details: details}, nil) &&
			yield(score.Score{ConversationID: "c2", Name: "grounded", Source: score.Judge, Status: score.Unscored,
				Error: &score.Failure{Kind: "timeout", Message: "no answer"}}, nil)
	}
}

func TestItemsAsCSV(t *testing.T) {
	var b bytes.Buffer
	if err := ItemsCSV(&b, "run-1", someScores()); err != nil {
		t.Fatal(err)
	}
	want := `run_id,conversation_id,call_index,call_id,tool,place,source,judge,name,metric,status,value,passed,label,` +
		`confidence,flags,explanation,evidence,correction,details,error_kind,error_message,purpose,rubric_sha
run-1,"c,1",2,k,'=HYPERLINK(1),,judge,some-model,grounded,,scored,0.5,false,,0.5,"short,vague","two
lines ""quoted""",,,"{""b"":90071992547409931,""a"":1}",,,,
run-1,c2,,,,,judge,,grounded,,unscored,,,,,,,,,,timeout,no answer,,
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// TestParquetHoldsTheSame: the file has the rows and the columns of the CSV form, null where that
// has an empty cell for a number, and the same bytes each time.
func TestParquetHoldsTheSame(t *testing.T) {
	var b, again, text bytes.Buffer
	if err := errors.Join(ItemsParquet(&b, "run-1", someScores()), ItemsParquet(&again, "run-1", someScores()),
		ItemsCSV(&text, "run-1", someScores())); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("two files of the same scores differ")
	}
	rows, err := parquet.Read[itemRow](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(lines) != len(rows)+1 {
		t.Fatalf("%d lines for %d rows, %v", len(lines), len(rows), err)
	}
	for i, r := range rows {
		if diff := cmp.Diff(lines[i+1], itemCells(r)); diff != "" {
			t.Error(diff)
		}
	}
	if rows[1].Value != nil || rows[1].CallIndex != nil || rows[1].Details != "" {
		t.Errorf("what is missing is %+v", rows[1])
	}
}

func TestABrokenStreamEndsTheItems(t *testing.T) {
	broken := errors.New("scores.jsonl:2: cut short")
	scores := func(yield func(score.Score, error) bool) { yield(score.Score{}, broken) }
	for _, write := range []func() error{
		func() error { return ItemsCSV(&strings.Builder{}, "", scores) },
		func() error { return ItemsParquet(&strings.Builder{}, "", scores) },
	} {
		if err := write(); !errors.Is(err, broken) {
			t.Error(err)
		}
	}
}
