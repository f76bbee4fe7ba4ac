package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

const (
	// maxNamedGroups limits how many groups a model names. It sees the first call and the example
	// of each.
	maxNamedGroups = 12
	// namesFile is the file in a run directory with the names of groups by their ids; namesFolder
	// holds the journal of the questions.
	namesFile, namesFolder = "group-names.json", "group-names"
)

// ErrNoGroups says that a run has no failing calls to name.
var ErrNoGroups = errors.New("no call fails, so there is no group to name")

var namesSchema = value.Pairs("type", "object",
	"properties", value.Pairs("names", value.Pairs("type", "array", "maxItems", maxNamedGroups, "items",
		value.Pairs("type", "object", "properties", value.Pairs(
			"number", value.Pairs("type", "integer", "description", "the number of the group"),
			"name", value.Pairs("type", "string", "maxLength", 60, "description", "two to five words"),
			"sentence", value.Pairs("type", "string", "maxLength", 200, "description", "one sentence: what goes wrong")),
			"required", value.OfStrings("number", "name", "sentence"), "additionalProperties", false))),
	"required", value.OfStrings("names"), "additionalProperties", false)

const namesText = `You name groups of tool calls of an assistant that failed, for the engineer who has to mend it. Each record is one
group: how many calls it has, why they fail, and some of the calls.

Give each group a name of two to five words that tells it from the others, and say in one sentence what goes wrong in
its calls, as you would say it to a colleague. Name no value of a single call. Guess no cause that the records do not
show.`

// NameGroups asks the last judge of a task to name the largest groups of failing calls in report r
// of a saved run. It keeps the names and the questions in the run directory, so that nobody pays
// for the same question twice.
func NameGroups(ctx context.Context, of Recorded, runID string, r *report.Report, task *Task, means Means, obs Observer,
) error {
	if len(r.FailureGroups) == 0 {
		return ErrNoGroups
	}
	list := r.FailureGroups[:min(maxNamedGroups, len(r.FailureGroups))]
	q := judges.Question{Key: "names of groups", Name: "group_names", Schema: namesSchema, System: namesText,
		Intro: "The groups:"}
	for i := range list {
		sample, err := sampleOf(ctx, of, &list[i], i+1)
		if err != nil {
			return err
		}
		q.Records = append(q.Records, sample)
	}
	answer, err := askOnce(ctx, of.Dir, runID, task, means, obs, q)
	if err != nil {
		return err
	}
	model := task.Judges[len(task.Judges)-1].Config.Model
	names := namesOf(answer, list, model)
	if len(names) == 0 {
		return fmt.Errorf("%s gave no usable name", model)
	}
	data, err := json.MarshalIndent(names, "", "  ")
	if err != nil {
		return err
	}
	return directory.Replace(filepath.Join(of.Dir, namesFile), append(data, '\n'))
}

// askOnce asks the last judge of a task, with a journal of its own in the run directory.
func askOnce(ctx context.Context, dir, runID string, task *Task, means Means, obs Observer, q judges.Question,
) (answer *value.Value, err error) {
	s, err := task.resolve()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(dir, namesFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	means.assumeWindows = true
	b := &Bench{in: &Instruments{Team: s.Team.Clone(), finished: true}, spec: s, obs: obs}
	if err := b.Open(ctx, folder, runID, means); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return b.Ask(ctx, q)
}

// sampleOf returns what a model sees of a group.
func sampleOf(ctx context.Context, of Recorded, g *report.FailureGroup, number int) (value.Value, error) {
	out := value.Fields{{Key: "number", Value: value.OfInt(int64(number))}}
	out.Set("calls", value.OfInt(int64(g.Count)))
	out.Set("tools", value.OfStrings(g.Tools...))
	out.Set("why", value.OfString(g.Name))
	var samples []value.Value
	for n, at := range []report.CaseRef{g.First, g.Example.CaseRef} {
		if n > 0 && at.ItemName() == g.First.ItemName() {
			continue
		}
		call := at.Call()
		item, err := directory.Find(ctx, of.Dir, at.ConversationID, of.Logs)
		if err != nil {
			return value.Value{}, err
		}
		var sample value.Fields
		if c := item.Conversation; c != nil && call >= 0 && call < len(c.Calls) {
			sample.Set("tool", value.OfString(c.Calls[call].Name))
			sample.Set("arguments", c.Calls[call].Arguments)
		}
		for i := range item.Scores {
			s := &item.Scores[i]
			passed, its := measure.VerdictOf(s), report.CaseRef{CallIndex: s.CallIndex}
			if passed != nil && !*passed && its.Call() == call && s.Explanation != "" {
				sample.Set(s.Name, value.OfString(s.Explanation))
			}
		}
		samples = append(samples, value.OfObject(sample...))
	}
	out.Set("samples", value.OfList(samples...))
	return value.OfObject(out...), nil
}

// namesOf reads an answer: names by the ids of groups. It skips names with fewer than two or more than
// five words, and unknown groups.
func namesOf(answer *value.Value, list []report.FailureGroup, model string) map[string]report.GivenName {
	out := map[string]report.GivenName{}
	if answer == nil {
		return out
	}
	for _, e := range answer.Field("names").Elements() {
		n, ok := e.Field("number").Int64()
		line := func(key string, most int) string {
			return value.Excerpt(strings.Join(strings.Fields(value.VisibleLine(e.Field(key).Text())), " "), most)
		}
		name := report.GivenName{Name: line("name", 60), Sentence: line("sentence", 200), Model: model}
		if words := len(strings.Fields(name.Name)); !ok || n < 1 || int(n) > len(list) || words < 2 || words > 5 {
			continue
		}
		if id := list[n-1].ID; out[id] == (report.GivenName{}) {
			out[id] = name
		}
	}
	return out
}

// addNames adds the names that a model gave to a report's groups.
func addNames(dir string, r *report.Report) error {
	data, err := os.ReadFile(filepath.Join(dir, namesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	names := map[string]report.GivenName{}
	if err == nil {
		err = json.Unmarshal(data, &names)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", namesFile, err)
	}
	for i := range r.FailureGroups {
		if name, ok := names[r.FailureGroups[i].ID]; ok {
			r.FailureGroups[i].Given = &name
		}
	}
	return nil
}
