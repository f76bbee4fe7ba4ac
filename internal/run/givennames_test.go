package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// TestNamesThatAModelGives: names of two to five words for known groups are taken, the first of two for one group.
func TestNamesThatAModelGives(t *testing.T) {
	list := []report.FailureGroup{{ID: "g1"}, {ID: "g2"}, {ID: "g3"}}
	long := strings.Repeat("w", 40)
	named := func(number int64, name, sentence string) value.Value {
		return value.Pairs("number", number, "name", name, "sentence", sentence)
	}
	answer := func(names ...value.Value) *value.Value {
		v := value.OfObject(value.Member{Key: "names", Value: value.OfList(names...)})
		return &v
	}
	for name, tt := range map[string]struct {
		answer *value.Value
		want   map[string]report.GivenName
	}{
		"nothing": {nil, map[string]report.GivenName{}},
		"two": {answer(named(1, "wrong  amount", "It pays  too much."), named(3, "a b c d e", "")),
			map[string]report.GivenName{"g1": {Name: "wrong amount", Sentence: "It pays too much.", Model: "m"},
				"g3": {Name: "a b c d e", Model: "m"}}},
		"too short or too long": {answer(named(1, "amount", ""), named(2, "a b c d e f", "")), map[string]report.GivenName{}},
		"no such group": {answer(named(0, "wrong amount", ""), named(4, "wrong amount", "")),
			map[string]report.GivenName{}},
		"one group twice": {answer(named(2, "wrong amount", ""), named(2, "other name", "")),
			map[string]report.GivenName{"g2": {Name: "wrong amount", Model: "m"}}},
		"cut": {answer(named(1, long+" "+long, strings.Repeat("s", 300))), map[string]report.GivenName{
			"g1": {Name: (long + " " + long)[:59] + "…", Sentence: strings.Repeat("s", 199) + "…", Model: "m"}}},
	} {
		if diff := cmp.Diff(tt.want, namesOf(tt.answer, list, "m")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// namesAnswers answers like benchAnswers, and names groups by what *names holds.
func namesAnswers(names *string) llmtest.Handler {
	return func(c llmtest.Call) llmtest.Reply {
		if strings.Contains(c.Last(), "The groups:") {
			if *names == "" {
				return llmtest.Fail(500, "out of order")
			}
			return llmtest.Chat(llmtest.ChatMessage{Content: *names, PromptTokens: len(c.Body) / 4})
		}
		return benchAnswers(c)
	}
}

// TestNameGroups: the last judge is asked about the groups of a report, the names are kept in the run's folder, and no
// question is asked twice. An answer without a usable name is an error, and so is everything that ends a run.
func TestNameGroups(t *testing.T) {
	names := `{"names":[{"number":1,"name":"wrong tool first","sentence":"It looks the order up."}]}`
	s := llmtest.Start(namesAnswers(&names))
	defer s.Close()
	var size atomic.Int64
	p := shortPlan(t, s.URL, "first", benchLog(&size))
	p.Judges[0].Config.Transport, p.Judges[0].Endpoint.MaxAttempts = judges.JSONSchema, 1
	dir := t.TempDir()
	out, err := executeSetup(t.Context(), p, dir, false, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	task, last := p.Task, p.Judges[0]
	last.Config.Model = "last"
	task.Judges = append(task.Judges, last)
	of := Recorded{dir, &input.Source{Logs: p.Logs}}
	name := func(r *report.Report, task *Task, means Means, obs Observer) error {
		return NameGroups(t.Context(), of, out.Manifest.RunID, r, task, means, obs)
	}
	before := s.Requests()
	for range 2 {
		if err := name(out.Report, &task, Means{}, Observer{}); err != nil {
			t.Fatal(err)
		}
	}
	calls := s.Calls()
	asked := calls[len(calls)-1]
	const question = "The groups:\n" + `{"number":1,"calls":2,"tools":["find"],"why":"find: fails right_tool",` +
		`"samples":[{"tool":"find","arguments":{"id":0},"right_tool":"e"}]}` + "\n\nThe answer, as JSON:"
	if s.Requests() != before+1 || asked.Model != "last" || asked.SchemaName() != "group_names" || asked.Last() != question {
		t.Errorf("%d requests, the last to %s:\n%s", s.Requests()-before, asked.Model, asked.Last())
	}
	const kept = "{\n  \"g34d6ca36e5\": {\n    \"name\": \"wrong tool first\",\n    \"sentence\": \"It looks the order up.\"," +
		"\n    \"model\": \"last\"\n  }\n}\n"
	if got := string(read(t, dir, namesFile)); got != kept {
		t.Error(got)
	}
	r, _, err := Report(dir, measure.Config{}, nil)
	want := &report.GivenName{Name: "wrong tool first", Sentence: "It looks the order up.", Model: "last"}
	if err != nil || !cmp.Equal(want, r.FailureGroups[0].Given) {
		t.Errorf("%+v, %v", r, err)
	}
	// Of many groups the first twelve are named.
	many := &report.Report{FailureGroups: slices.Repeat(out.Report.FailureGroups, 14)}
	if err := name(many, &task, Means{}, Observer{}); err != nil {
		t.Fatal(err)
	}
	calls = s.Calls()
	if last := calls[len(calls)-1].Last(); strings.Count(last, `"number":`) != 12 || !strings.Contains(last, `"number":12,`) {
		t.Error(last)
	}
	if err := name(&report.Report{}, &task, Means{}, Observer{}); !errors.Is(err, ErrNoGroups) {
		t.Error(err)
	}
	obs, said := noted()
	names = `{"names":[{"number":1,"name":"amount"}]}`
	if err := name(out.Report, &task, Means{Fresh: true}, obs); err == nil || err.Error() != "last gave no usable name" {
		t.Error(err)
	}
	names = ""
	if err := name(out.Report, &task, Means{Fresh: true}, obs); err == nil || err.Error() != "last gave no usable name" ||
		!strings.Contains(said(), "out of order") {
		t.Errorf("%v, %s", err, said())
	}
	s.RequireKey("secret")
	var fatal *llm.Error
	if err := name(out.Report, &task, Means{Fresh: true}, obs); !errors.As(err, &fatal) || !fatal.Fatal {
		t.Error(err)
	}
	var wrong *TaskError
	bad := task
	bad.Scorers = []deterministic.Config{{Type: "none"}}
	if err := name(out.Report, &bad, Means{}, obs); !errors.As(err, &wrong) {
		t.Error(err)
	}
	if err := name(out.Report, &task, Means{Reuse: []string{t.TempDir()}}, obs); !errors.As(err, &wrong) {
		t.Error(err)
	}
	of.Dir = t.TempDir()
	if err := name(out.Report, &task, Means{}, obs); err == nil {
		t.Error("groups of a run that is not there have names")
	}
	if got := string(read(t, dir, namesFile)); got != kept {
		t.Errorf("a failure changed the names: %s", got)
	}
}

// TestSamplesOfGroups: a model sees the first call and the example of a group, each with the explanations of the scores
// that fail it; without the log it sees the explanations alone.
func TestSamplesOfGroups(t *testing.T) {
	const wrong, a, b = `"schema_check":"the arguments do not satisfy the schema: /id is `, `a string, must be integer"`,
		`an array, must be integer"`
	const tools = `"tools":[{"name":"get","description":"d","parameters":{"type":"object","properties":` +
		`{"id":{"type":"integer"}}}}]`
	line := func(id string, args ...string) string {
		text := `{"id":"` + id + `",` + tools + `,"labels":{"human":0},"messages":[{"role":"user","content":"get"}`
		for i, a := range args {
			text += fmt.Sprintf(`,{"role":"assistant","tool_calls":[{"id":"%d","type":"function","function":{"name":"get",`+
				`"arguments":%q}}]}`, i, a)
		}
		return text + "]}\n"
	}
	log := textLog("l.jsonl", line("a", `{"id":"x"}`, `{"id":1}`)+line("b", `{"id":[2]}`), new(atomic.Int64))
	p := plan(t, "", log)
	p.Scorers = []deterministic.Config{{Type: "schema_check"}}
	dir := t.TempDir()
	if _, err := executeSetup(t.Context(), p, dir, false, Observer{}); err != nil {
		t.Fatal(err)
	}
	at := func(id string, call int) report.CaseRef {
		if call < 0 {
			return report.CaseRef{ConversationID: id}
		}
		return report.CaseRef{ConversationID: id, CallIndex: &call}
	}
	logs := &input.Source{Logs: p.Logs}
	for name, tt := range map[string]struct {
		first, example report.CaseRef
		logs           *input.Source
		want           string
	}{
		"two": {at("a", 0), at("b", 0), logs, `{"tool":"get","arguments":{"id":"x"},` + wrong + a + `},` +
			`{"tool":"get","arguments":{"id":[2]},` + wrong + b + `}`},
		"one":           {at("b", 0), at("b", 0), logs, `{"tool":"get","arguments":{"id":[2]},` + wrong + b + `}`},
		"passes":        {at("a", 1), at("a", 1), logs, `{"tool":"get","arguments":{"id":1}}`},
		"conversation":  {at("a", -1), at("a", -1), logs, `{}`},
		"no such call":  {at("b", 1), at("b", 1), logs, `{}`},
		"without a log": {at("a", 0), at("a", 0), &input.Source{}, `{` + wrong + a + `}`},
	} {
		g := report.FailureGroup{Count: 3, Tools: []string{"get", "put"}, Name: "n", First: tt.first}
		g.Example.CaseRef = tt.example
		got, err := sampleOf(t.Context(), Recorded{dir, tt.logs}, &g, 5)
		want := `{"number":5,"calls":3,"tools":["get","put"],"why":"n","samples":[` + tt.want + `]}`
		if err != nil || got.JSON() != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, got.JSON(), want)
		}
	}
	g := report.FailureGroup{First: at("a", 0)}
	g.Example.CaseRef = at("x", 0)
	if v, err := sampleOf(t.Context(), Recorded{dir, logs}, &g, 1); !errors.Is(err, directory.ErrNoItem) {
		t.Errorf("%s, %v", v.JSON(), err)
	}
}

// TestAddNames: names are added to the groups with their ids; no names are none, and names that cannot be read are an
// error.
func TestAddNames(t *testing.T) {
	dir := t.TempDir()
	r := &report.Report{FailureGroups: []report.FailureGroup{{ID: "g1"}, {ID: "g2"}, {ID: "g3"}}}
	if err := addNames(dir, r); err != nil {
		t.Error(err)
	}
	path := filepath.Join(dir, namesFile)
	text := `{"g3":{"name":"three","sentence":"s","model":"m"},"g1":{"name":"one"},"g4":{"name":"four"}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := addNames(dir, r); err != nil {
		t.Error(err)
	}
	want := []report.FailureGroup{{ID: "g1", Given: &report.GivenName{Name: "one"}}, {ID: "g2"},
		{ID: "g3", Given: &report.GivenName{Name: "three", Sentence: "s", Model: "m"}}}
	if diff := cmp.Diff(want, r.FailureGroups); diff != "" {
		t.Error(diff)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := addNames(dir, r); err == nil || err.Error() != "group-names.json: unexpected end of JSON input" {
		t.Error(err)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := addNames(dir, r); err == nil || !strings.HasPrefix(err.Error(), "group-names.json: ") {
		t.Error(err)
	}
}
