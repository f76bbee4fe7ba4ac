package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/judgekit/judge/internal/llm/client"
)

// jobsFile keeps in the folder of a round what became of each of its files, so that a
// process that was killed pays for no batch twice.
const jobsFile = "jobs.json"

// job is one batch file at a service.
type job struct {
	File  string `json:"file"`
	Judge int    `json:"judge"`
	// Upload is the service's name of the file, Batch that of the batch, "" before it has
	// one. Status is the service's word.
	Upload string `json:"upload,omitempty"`
	Batch  string `json:"batch,omitempty"`
	Status string `json:"status,omitempty"`
	// Imported says that the answers are in the journal.
	Imported bool `json:"imported,omitempty"`
}

// Batches are the batches of a run directory at the services of its judges.
type Batches struct {
	dir     string
	clients []*client.Client
	note    func(string)
	// poll is the wait before the n-th question about a batch, from 0.
	poll func(n int) time.Duration
}

// NewBatches makes clients for the judges of a plan. note is called with lines that a
// person should see.
func NewBatches(plan *Plan, dir string, note func(string)) (*Batches, error) {
	b := &Batches{dir: dir, note: note, poll: client.BatchPoll}
	for i := range plan.Judges {
		c, err := client.New(plan.Judges[i].Endpoint, client.Config{Kind: plan.Judges[i].Kind, Transport: plan.transport})
		if err != nil {
			return nil, &PlanError{err}
		}
		b.clients = append(b.clients, c)
	}
	return b, nil
}

// Close gives up the connections.
func (b *Batches) Close() {
	for _, c := range b.clients {
		c.Close()
	}
}

// Submit notes the files of a round as jobs. Nothing is sent yet.
func (r *Round) Submit() error {
	var jobs []job
	for i, name := range r.Files {
		jobs = append(jobs, job{File: name, Judge: r.Judges[i]})
	}
	return saveJobs(r.Dir, jobs)
}

func saveJobs(round string, jobs []job) error {
	data, err := json.MarshalIndent(jobs, "", "  ")
	if err != nil {
		return err
	}
	tmp := filepath.Join(round, jobsFile+".tmp")
	if err := os.WriteFile(tmp, append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, filepath.Join(round, jobsFile))
}

// loadJobs reads the jobs of a round, none where it was exported for another runner.
func loadJobs(round string) (jobs []job, err error) {
	data, err := os.ReadFile(filepath.Join(round, jobsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &jobs)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(round, jobsFile), err)
	}
	return jobs, nil
}

// Open reports the number of jobs that were not imported yet.
func (b *Batches) Open() (open int, err error) {
	err = b.each(func(_ string, _ []job, j *job) error {
		if !j.Imported {
			open++
		}
		return nil
	})
	return open, err
}

// each calls f with every job of every round, of which it may change what j points to.
func (b *Batches) each(f func(round string, all []job, j *job) error) error {
	rounds, err := Rounds(b.dir)
	if err != nil {
		return err
	}
	for _, round := range rounds {
		jobs, err := loadJobs(round)
		if err != nil {
			return err
		}
		for i := range jobs {
			if err := f(round, jobs, &jobs[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Finish uploads what is not uploaded, waits for all batches, and imports their answers.
// An interrupted Finish is taken up by another one.
func (b *Batches) Finish(ctx context.Context) (*Import, error) {
	err := b.each(func(round string, all []job, j *job) error { return b.start(ctx, round, all, j) })
	if err != nil {
		return nil, err
	}
	total := &Import{}
	err = b.each(func(round string, all []job, j *job) error {
		if j.Imported {
			return nil
		}
		done, err := b.await(ctx, round, all, j)
		if err != nil {
			return err
		}
		got, err := b.fetch(ctx, round, j, done)
		if err != nil {
			return err
		}
		total.add(got)
		j.Imported = true
		return saveJobs(round, all)
	})
	return total, err
}

// add adds what came of another file.
func (t *Import) add(o *Import) {
	t.Answers, t.Known, t.Failed = t.Answers+o.Answers, t.Known+o.Known, t.Failed+o.Failed
	t.Unknown, t.Unreadable = t.Unknown+o.Unknown, t.Unreadable+o.Unreadable
	t.Missing, t.Requests = o.Missing, o.Requests
	for _, p := range o.Problems {
		if len(t.Problems) < 4*mostNamed {
			t.Problems = append(t.Problems, p)
		}
	}
}

// start uploads the file of a job and has the service begin.
func (b *Batches) start(ctx context.Context, round string, all []job, j *job) error {
	c := b.clients[j.Judge]
	if j.Upload == "" {
		id, err := c.UploadBatch(ctx, filepath.Join(round, j.File))
		if err != nil {
			return err
		}
		if j.Upload = id; saveJobs(round, all) != nil {
			return saveJobs(round, all)
		}
	}
	if j.Batch != "" {
		return nil
	}
	got, err := c.StartBatch(ctx, j.Upload, map[string]any{"source": "judge", "file": j.File})
	if err != nil {
		return err
	}
	j.Batch, j.Status = got.ID, got.Status
	b.note(fmt.Sprintf("%s: batch %s", j.File, got.ID))
	return saveJobs(round, all)
}

// await asks about a batch until it has ended.
func (b *Batches) await(ctx context.Context, round string, all []job, j *job) (client.BatchJob, error) {
	last := ""
	for n := 0; ; n++ {
		got, err := b.clients[j.Judge].Batch(ctx, j.Batch)
		if err != nil {
			return got, err
		}
		if line := got.String(); line != last {
			b.note(j.File + ": " + line)
			last = line
		}
		if got.Status != j.Status {
			j.Status = got.Status
			if err := saveJobs(round, all); err != nil {
				return got, err
			}
		}
		if got.Ended() {
			return got, nil
		}
		select {
		case <-ctx.Done():
			return got, context.Cause(ctx)
		case <-time.After(b.poll(n)):
		}
	}
}

// fetch brings the answers and failures of a batch that has ended, and imports them.
func (b *Batches) fetch(ctx context.Context, round string, j *job, done client.BatchJob) (*Import, error) {
	var names []string
	for ending, id := range map[string]string{".output": done.Output, ".errors": done.Errors} {
		if id == "" {
			continue
		}
		name := filepath.Join(round, j.File+ending)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err == nil {
			err = errors.Join(b.clients[j.Judge].Fetch(ctx, id, f), f.Close())
		}
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	got, err := ImportBatch(b.dir, names)
	if err == nil && len(names) == 0 {
		got.Problems = append(got.Problems, fmt.Sprintf("%s: the service gave no answers: %s %s", j.File, done.String(),
			done.Problem))
	}
	return got, err
}

// Cancel asks the services to stop the batches that are under way, and returns how many.
func (b *Batches) Cancel(ctx context.Context) (stopped int, err error) {
	err = b.each(func(_ string, _ []job, j *job) error {
		if j.Imported || j.Batch == "" {
			return nil
		}
		got, err := b.clients[j.Judge].Batch(ctx, j.Batch)
		if err == nil && !got.Ended() {
			err = b.clients[j.Judge].CancelBatch(ctx, j.Batch)
			stopped++
		}
		return err
	})
	return stopped, err
}
