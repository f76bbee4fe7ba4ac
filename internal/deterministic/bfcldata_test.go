package deterministic

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/deterministic/bfcl"
	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/value"
)

// task is one question of the leaderboard with its answer.
type task struct{ tools, expected value.Value }

func tasks(t *testing.T, root string) map[string]task {
	t.Helper()
	out := map[string]task{}
	for _, category := range []string{"simple", "multiple_function", "parallel_function", "parallel_multiple_function", "relevance", "java", "javascript"} {
		answers := map[string]value.Value{}
		if category != "relevance" {
			for _, a := range realdata.Lines(t, filepath.Join(root, "possible_answer", category+".jsonl")) {
				answers[a.Field("id").Text()] = a.Field("ground_truth")
			}
		}
		for _, q := range realdata.Lines(t, filepath.Join(root, "question", category+".jsonl")) {
			id := q.Field("id").Text()
			out[id] = task{q.Field("function"), answersOf(answers[id], q.Field("function"))}
		}
	}
	return out
}

// numbered is how version 1 tells several calls of one function apart in an object.
var numbered = regexp.MustCompile(`[_ ][0-9]+$`)

// answersOf turns {f: {...}, g_1: {...}, g_2: {...}} into a list of one-key objects.
// A number behind a name is dropped unless a tool has that very name.
func answersOf(truth, tools value.Value) value.Value {
	var out []value.Value
	for name, params := range truth.Members() {
		if tools.Kind() == value.Object || !slices.ContainsFunc(elements(tools), func(t value.Value) bool { return t.Field("name").Text() == name }) {
			if tool := tools.Field("name").Text(); tools.IsList() || name != tool {
				name = numbered.ReplaceAllString(name, "")
			}
		}
		out = append(out, value.OfObject(value.Member{Key: name, Value: params}))
	}
	return value.OfList(out...)
}

// asJSON turns tuples into lists, as writing the records to JSON did.
func asJSON(t *testing.T, v value.Value) value.Value {
	t.Helper()
	out, err := value.ParseString(v.JSON())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// versionOne maps the categories of version 1: relevance meant that no call is
// right, and the multiple category went through the parallel checker, whose error
// types it therefore has.
var versionOne = map[string]string{"relevance": "irrelevance", "multiple_function": "parallel_multiple"}

func scoreBFCL(t *testing.T, category string, r value.Value, q task) (Result, error) {
	t.Helper()
	language := "python"
	if category == "java" || category == "javascript" {
		language = category
	}
	s, err := newAST(value.OfObject(
		value.Member{Key: "language", Value: value.OfString(language)},
		value.Member{Key: "mode", Value: value.OfString("bfcl")},
		value.Member{Key: "category", Value: value.OfString(category)},
		value.Member{Key: "dot_to_underscore", Value: r.Field("name_dots_to_underscores")}))
	if err != nil {
		t.Fatal(err)
	}
	return s.Score(Input{Actual: r.Field("decoded"), Expected: q.expected, Tools: q.tools})
}

// TestLeaderboardResults holds against the official verdicts on real model outputs.
func TestLeaderboardResults(t *testing.T) {
	root := realdata.Path(t, "data", "bfcl", "v1")
	questions := tasks(t, root)
	files, err := filepath.Glob(filepath.Join(root, "results", "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no results: %v", err)
	}
	total, equal, sameType, rawRead, rawText := 0, 0, 0, 0, 0
	for _, file := range files {
		for _, r := range realdata.Lines(t, file) {
			if r.Field("rerun_valid").IsNull() {
				continue
			}
			total++
			id := r.Field("id").Text()
			q, ok := questions[id]
			if !ok {
				t.Fatalf("no question %s", id)
			}
			category := r.Field("category").Text()
			want, _ := r.Field("rerun_valid").BoolVal()
			if res, err := scoreBFCL(t, category, r, q); category == "multiple_function" && (err != nil || *res.Passed != want) {
				t.Errorf("%s %s: category multiple: %+v, %v, want %v", filepath.Base(file), id, res, err, want)
			}
			if mapped := versionOne[category]; mapped != "" {
				category = mapped
			}
			res, err := scoreBFCL(t, category, r, q)
			if err != nil {
				t.Errorf("%s %s: %v", filepath.Base(file), id, err)
				continue
			}
			if *res.Passed == want {
				equal++
			} else {
				t.Errorf("%s %s: valid %v, want %v: %s\n%s\n%s", filepath.Base(file), id, *res.Passed, want, res.Reason, r.Field("decoded").JSON(), q.expected.JSON())
			}
			official := strings.Replace(r.Field("error_type").Text(), "relevance_error:decoder_success", "irrelevance_error:decoder_success", 1)
			if got := res.object().Field("error_type"); got.Text() == official {
				sameType++
			} else {
				// Version 1 had a dict_items error for a wrong number of keys.
				if official != "value_error:dict_items" {
					t.Errorf("%s %s: error type %s, official %s", filepath.Base(file), id, got.JSON(), official)
				}
				t.Logf("%s %s: error type %s, official %s (%s)", filepath.Base(file), id, got.JSON(), official, res.Reason)
			}
			// The text itself, where it is Python as it stands; most others are prose that
			// each model's own cleaning had cut off.
			raw, ok := r.Field("raw").Str()
			if !ok || !r.Field("decoded").IsList() || versionOne[category] == "" && strings.HasPrefix(category, "java") {
				continue
			}
			if slices.ContainsFunc(elements(r.Field("decoded")), func(c value.Value) bool { return c.Kind() != value.Object }) {
				continue // version 1 kept a call without keywords as its source text
			}
			rawText++
			c := bfcl.Checker{Language: "python"}
			if calls, failure := c.Read(value.OfString(raw)); failure.Type == "" {
				rawRead++
				list := make([]value.Value, len(calls))
				for i, call := range calls {
					list[i] = value.OfObject(field(call.Name, call.Arguments))
				}
				if read := value.OfList(list...); !(value.Equality{StrictKinds: true}).Equal(asJSON(t, read), r.Field("decoded")) {
					t.Errorf("%s %s: %s decodes to %s, recorded %s", filepath.Base(file), id, raw, read.JSON(), r.Field("decoded").JSON())
				}
			}
		}
	}
	t.Logf("%d of %d verdicts equal the official ones, %d of %d error types; %d of %d raw texts are Python as they stand, and decode as recorded",
		equal, total, sameType, total, rawRead, rawText)
	if total < 1000 {
		t.Errorf("only %d results", total)
	}
}
