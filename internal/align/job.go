package align

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Job is an alignment of a task's first rubric and first judge, by the labels of a run. The last
// judge proposes changes.
type Job struct {
	of    Labelled
	cfg   Config
	task  *run.Task
	spec  *run.Spec
	items []Item
	bench *run.Bench
}

// NewJob reads the labelled conversations; it sends nothing. unused counts labels of items that are
// not in the log or that the rubric does not ask about. The error wraps ErrFew if too few labels
// are left, or is one of run.Resolve's.
func NewJob(ctx context.Context, task *run.Task, of Labelled, cfg Config, obs run.Observer) (j *Job, unused int, err error) {
	r := task.Rubrics[0]
	if r.Output.NoPass {
		return nil, 0, fmt.Errorf("rubric %s: nothing passes or fails, so labels cannot say when it is right", r.Name)
	}
	j = &Job{of: of, cfg: cfg, task: task, items: itemsOf(of.Rows, r, of.Whole || report.IsOverall(r.Name))}
	if j.spec, err = run.Resolve(ctx, *task, of.Dir); err != nil {
		return nil, 0, err
	}
	if err := Check(j.items); err != nil {
		return nil, 0, err
	}
	wanted := map[string]bool{}
	for i := range j.items {
		wanted[j.items[i].Conversation] = true
	}
	isWanted := func(id string) bool { return wanted[measure.SheetID(id)] }
	if j.bench, err = run.NewBench(ctx, j.spec, isWanted, obs); err != nil {
		return nil, 0, err
	}
	unused = j.locate(r)
	return j, unused, Check(j.items)
}

// itemsOf returns the labelled items of a rubric.
func itemsOf(rows []measure.LabelRow, r *rubrics.Rubric, whole bool) []Item {
	var out []Item
	for _, row := range rows {
		pass, scope := row.VerdictOf(r.Name, whole), rubrics.ScopeCall
		switch {
		case row.Scope != "":
			scope = rubrics.Scope(row.Scope)
		case row.CallIndex < 0:
			scope = rubrics.ScopeConversation
		}
		if pass != nil && scope == cmp.Or(r.Scope, rubrics.ScopeCall) {
			out = append(out, Item{Conversation: row.ConversationID, Call: row.CallIndex, Turn: row.Turn, Pass: *pass,
				Note: row.Note, Picked: row.Sample != measure.RandomSample})
		}
	}
	return out
}

// locate gives the items their ids in the log and their tasks, and drops those that are not judged.
func (j *Job) locate(r *rubrics.Rubric) (dropped int) {
	inLog := j.bench.IDs(measure.SheetID)
	var out []Item
	for _, item := range j.items {
		conv := j.bench.Conversation(inLog[item.Conversation])
		if conv == nil || !slices.Contains(judges.Targets(conv, r), item.Target(r.Scope)) {
			dropped++
			continue
		}
		item.Conversation, item.Task = conv.ID, conv.TaskKey()
		out = append(out, item)
	}
	j.items = out
	return dropped
}

// JobEstimate holds the maximum cost of a job.
type JobEstimate struct {
	Labels     int `json:"labels"`
	Judgements int `json:"judgements_at_most"`
	Proposals  int `json:"proposals_at_most"`
	// PromptTokens estimates the prompt tokens of one judgement by the unchanged rubric.
	PromptTokens int `json:"prompt_tokens_per_judgement_estimate"`
}

// Estimate estimates the cost of the job. It sends nothing.
func (j *Job) Estimate() (out JobEstimate, err error) {
	r := j.task.Rubrics[0]
	targets := make([]run.BenchItem, len(j.items))
	for i := range j.items {
		targets[i] = j.items[i].benchItem(r.Scope)
	}
	tokens, err := j.bench.Tokens(r, targets)
	out.Labels, out.PromptTokens = len(j.items), tokens/len(j.items)
	out.Judgements, out.Proposals = estimate(j.items, j.cfg.Rounds)
	return out, err
}

// The files of an alignment. The JSON form is written last: it marks the alignment as complete.
const (
	pageFile = "report.html"
	jsonFile = "align.json"
)

// Run aligns, and keeps answers and results in a directory below the run's. made says that the alignment was
// complete before; then nothing is sent. The error is a *BudgetError or one of run.Prepare's.
func (j *Job) Run(ctx context.Context, means run.Means) (out *report.Alignment, made bool, err error) {
	parent, judge, with := j.task.Rubrics[0], j.task.Judges[0], j.task.Judges[len(j.task.Judges)-1].Config.Model
	out = &report.Alignment{ID: identity(j.items, parent, judge.Identity(), with, &j.cfg), RunID: j.of.RunID,
		Judge: judge.Name(), With: with}
	folder := filepath.Join(j.of.Dir, "align", out.ID)
	if done, err := read(filepath.Join(folder, jsonFile)); err != nil || done != nil {
		return done, done != nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, false, err
	}
	means.Reuse = []string{j.of.Dir}
	if err := j.bench.Open(ctx, folder, j.of.RunID, means); err != nil {
		return nil, false, err
	}
	defer j.bench.Close()
	j.cfg.Used = filepath.Join(j.of.Dir, labels.UsedName)
	got, err := Run(ctx, j.items, parent, j.bench, out, j.cfg)
	if err != nil {
		return nil, false, err
	}
	j.width(got)
	return got.Report, false, got.save(folder)
}

// width adds how precisely the pass rate is known with all labels and the old rubric.
func (j *Job) width(got *Aligned) {
	if !j.of.Sample {
		return
	}
	c, _, err := run.CalibrateLabels(j.of.Dir, j.of.By, measure.CalibrateConfig{Alpha: j.cfg.Alpha})
	if err != nil {
		return
	}
	for _, row := range c.Rows {
		if row.Judge == got.Report.Judge && row.Rubric == got.Report.Rubric && row.PassRate != nil {
			judged, _ := j.spec.Judgements()
			got.Report.Width = got.Width(judged)
			got.Report.Width.Before, got.Report.Width.LabelsBefore = row.PassRate.Corrected, row.N
		}
	}
}

var unsafeName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// save writes the proposal, its diff and the report.
func (a *Aligned) save(folder string) error {
	o := a.Report
	if a.Rubric != nil {
		name := strings.TrimLeft(unsafeName.ReplaceAllString(o.Rubric, "_"), ".")
		ending := ".proposal.yaml"
		if o.Proven {
			ending = ".aligned.yaml"
		}
		o.File, o.Diff = filepath.Join(folder, name+ending), filepath.Join(folder, name+".diff")
		if err := directory.Replace(o.File, a.Rubric); err != nil {
			return err
		}
		if err := directory.Replace(o.Diff, a.Diff); err != nil {
			return err
		}
	}
	for _, file := range []struct {
		name   string
		format render.Format
	}{{pageFile, render.HTMLFormat}, {jsonFile, render.JSONFormat}} {
		var b bytes.Buffer
		if err := render.Alignment(&b, o, file.format, render.Config{}); err != nil {
			return err
		}
		if err := directory.Replace(filepath.Join(folder, file.name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// read reads the report of an alignment; nil if the file does not exist.
func read(path string) (*report.Alignment, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	out := &report.Alignment{}
	if err == nil {
		err = json.Unmarshal(data, out)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}
