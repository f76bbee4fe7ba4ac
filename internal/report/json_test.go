package report_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
)

// TestWriteJSON: a file is indented, signs of markup stay as they are, and what cannot be seen is escaped.
func TestWriteJSON(t *testing.T) {
	var out bytes.Buffer
	err := report.WriteJSON(&out, report.GroupChange{ID: "<b>&\u200b", Name: "naïve", A: 1})
	want := `{
 "id": "<b>&\u200b",
 "name": "naïve",
 "tool": "",
 "kind": "",
 "parameter": "",
 "a": 1,
 "b": 0
}
`
	if diff := cmp.Diff(want, out.String()); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	out.Reset()
	err = report.WriteJSON(&out, func() {})
	if err == nil || err.Error() != "write func(): json: unsupported type: func()" || out.Len() > 0 {
		t.Errorf("error %v, %d bytes", err, out.Len())
	}
	r, w := io.Pipe()
	full := errors.New("disk full")
	r.CloseWithError(full)
	if err := report.WriteJSON(w, report.Warning{}); !errors.Is(err, full) {
		t.Errorf("a file that cannot be written: %v", err)
	}
}

// TestReadJSON: a file of a kind is read, and every other one is refused with what is wrong with it.
func TestReadJSON(t *testing.T) {
	const noReport = `f: no report: it must be an object with "schema":"judge.report/v1"`
	for text, want := range map[string]string{
		`{"schema":"judge.report/v1","alpha":0.05,"later":1}`: "",
		``:                                  noReport,
		`[]`:                                noReport,
		`{}`:                                noReport,
		`{"schema":"judge.reporter/v1"}`:    noReport,
		`{"schema":"judge.calibration/v1"}`: noReport,
		`{"schema":"report/v1"}`:            noReport,
		`{"schema":"judge.report/v1","alpha":0.0`: noReport,
		`{"schema":"judge.report/v2","alpha":"x"}`: `f: unknown schema "judge.report/v2": made by a newer judge; read ` +
			`it with that one`,
		`{"schema":"judge.report/v1","scores":[{"n":"x"}]}`: "f: scores.n: wrong type",
	} {
		r, err := report.ReadJSON(strings.NewReader(text), "f")
		got := ""
		if err != nil {
			got = err.Error()
		} else if r.Alpha != 0.05 {
			t.Errorf("%s: alpha %v", text, r.Alpha)
		}
		if got != want || (r == nil) != (want != "") {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
	if _, err := report.ReadJSON(iotest.ErrReader(io.ErrUnexpectedEOF), "f"); err == nil ||
		err.Error() != "read f: unexpected EOF" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that cannot be read: %v", err)
	}
	c, err := report.ReadCalibration(strings.NewReader(`{"schema":"judge.calibration/v1","run_id":"r1"}`), "f")
	if err != nil || c.RunID != "r1" {
		t.Errorf("calibration %+v, %v", c, err)
	}
	const want = `f: no calibration: it must be an object with "schema":"judge.calibration/v1"`
	if _, err := report.ReadCalibration(strings.NewReader(`{"schema":"judge.report/v1"}`), "f"); err == nil ||
		err.Error() != want {
		t.Errorf("a report as calibration: %v", err)
	}
}

// TestJSONSchema: the schema says what it describes; unknown keys are wrong only if it is closed.
func TestJSONSchema(t *testing.T) {
	for closed, want := range map[bool]string{false: "", true: "false"} {
		s, err := report.JSONSchema(closed)
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]string{
			"title": `"judge report"`, "description": `"report.json of a run directory (judge.report/v1)."`,
			"additionalProperties": want,
		} {
			got := ""
			if v, ok := s.Get(key); ok {
				got = v.JSON()
			}
			if got != want {
				t.Errorf("closed %v: %s is %s, want %s", closed, key, got, want)
			}
		}
	}
}
