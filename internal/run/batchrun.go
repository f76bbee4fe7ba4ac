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
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
)

// jobsFile keeps the state of each file of a round, in the round's folder. So a process that was
// killed does not pay for a batch twice.
const jobsFile = "jobs.json"

// job is one batch file at a service.
type job struct {
	File  string `json:"file"`
	Judge int    `json:"judge"`
	// Upload is the service's id of the file, Batch its id of the batch, "" before there is one.
	// Status is the service's own word.
	Upload string `json:"upload,omitempty"`
	Batch  string `json:"batch,omitempty"`
	Status string `json:"status,omitempty"`
	// Imported says that the answers are in the journal.
	Imported bool `json:"imported,omitempty"`
}

// Batches manages the batches of a run directory at the services of its judges.
type Batches struct {
	dir     string
	clients []*client.Client
	note    func(string)
}

// NewBatches creates clients for the judges of a run. note is called with lines for the user.
func NewBatches(list []instrument.Judge, dir string, note func(string)) (*Batches, error) {
	b := &Batches{dir: dir, note: note}
	for i := range list {
		c, err := client.New(list[i].Endpoint, client.Config{Kind: list[i].Kind})
		if err != nil {
			return nil, &TaskError{err}
		}
		b.clients = append(b.clients, c)
	}
	return b, nil
}

// Close closes the connections.
func (b *Batches) Close() {
	for _, c := range b.clients {
		c.Close()
	}
}

// Save writes the state of a round's files into its folder; those of a new round are still to be
// submitted.
func (r *Round) Save() error {
	data, err := json.MarshalIndent(r.jobs, "", "  ")
	if err != nil {
		return err
	}
	return directory.Replace(filepath.Join(r.Dir, jobsFile), append(data, '\n'))
}

// readRound reads the jobs of a round; there are none if it was exported for another runner.
func readRound(dir string) (*Round, error) {
	r := &Round{Dir: dir}
	data, err := os.ReadFile(filepath.Join(dir, jobsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &r.jobs)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, jobsFile), err)
	}
	return r, nil
}

// Open returns the number of jobs that are not imported yet.
func (b *Batches) Open() (open int, err error) {
	err = b.each(func(*Round, *job) error { open++; return nil })
	return open, err
}

// each calls f with every job that is not imported yet. f may change the job and save the round.
func (b *Batches) each(f func(r *Round, j *job) error) error {
	rounds, err := roundsOf(b.dir)
	if err != nil {
		return err
	}
	for _, round := range rounds {
		r, err := readRound(round)
		if err != nil {
			return err
		}
		for i := range r.jobs {
			if j := &r.jobs[i]; !j.Imported {
				if err := f(r, j); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Finish uploads the remaining files, waits for all batches, and imports their answers. After an
// interruption it can be called again.
func (b *Batches) Finish(ctx context.Context) (*Import, error) {
	if err := b.each(func(r *Round, j *job) error { return b.start(ctx, r, j) }); err != nil {
		return nil, err
	}
	var names, silent []string
	err := b.each(func(r *Round, j *job) error {
		done, err := b.await(ctx, r, j)
		if err != nil {
			return err
		}
		got, err := b.fetch(ctx, r, j, &done)
		if names = append(names, got...); err == nil && len(got) == 0 {
			silent = append(silent, fmt.Sprintf("%s: the service gave no answers: %s %s", j.File, done.String(), done.Problem))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	total, err := ImportBatch(b.dir, names)
	if err != nil {
		return nil, err
	}
	total.Problems = append(total.Problems, silent...)
	return total, b.each(func(r *Round, j *job) error {
		j.Imported = true
		return r.Save()
	})
}

// start uploads a job's file and starts its batch.
func (b *Batches) start(ctx context.Context, r *Round, j *job) (err error) {
	c := b.clients[j.Judge]
	if j.Upload == "" {
		if j.Upload, err = c.UploadBatch(ctx, filepath.Join(r.Dir, j.File)); err != nil {
			return err
		}
		if err := r.Save(); err != nil {
			return err
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
	return r.Save()
}

// await waits until a batch has ended.
func (b *Batches) await(ctx context.Context, r *Round, j *job) (client.BatchJob, error) {
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
			if err := r.Save(); err != nil {
				return got, err
			}
		}
		if got.Ended() {
			return got, nil
		}
		select {
		case <-ctx.Done():
			return got, context.Cause(ctx)
		case <-time.After(min(time.Second<<min(n, 6), time.Minute)):
		}
	}
}

// fetch downloads the answers and failures of a batch, and returns the names of the files.
func (b *Batches) fetch(ctx context.Context, r *Round, j *job, done *client.BatchJob) (names []string, err error) {
	for _, of := range []struct{ id, ending string }{{done.Output, ".output"}, {done.Errors, ".errors"}} {
		if of.id == "" {
			continue
		}
		name := filepath.Join(r.Dir, j.File+of.ending)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err == nil {
			err = errors.Join(b.clients[j.Judge].Fetch(ctx, of.id, f), f.Close())
		}
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// Cancel asks the services to stop the running batches, and returns how many there were.
func (b *Batches) Cancel(ctx context.Context) (stopped int, err error) {
	err = b.each(func(_ *Round, j *job) error {
		if j.Batch == "" {
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
