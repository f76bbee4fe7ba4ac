package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
)

// Merge joins the shards of one run in a new directory: it joins their journals and makes the whole
// run from them again. So every file is the same as in a run without shards, and the run can be
// resumed like any other. Nothing is sent. The task is that of the shards; memory is that of one
// run.
func Merge(ctx context.Context, task Task, shards []string, dir string, obs Observer) (*Outcome, error) {
	first, err := CheckShards(shards)
	if err != nil {
		return nil, err
	}
	failures, err := joinJournals(shards, dir)
	if err != nil {
		return nil, &directory.Error{Message: err.Error()}
	}
	directory.Bound(shards[0], task.Logs)
	task.Shard = input.Shard{}
	s, err := Resolve(ctx, task, dir)
	if err != nil {
		return nil, err
	}
	in, err := Prepare(ctx, s, dir, Means{merged: &merged{first.RunID, failures}}, obs)
	if err != nil {
		return nil, err
	}
	return Execute(ctx, s, in, obs)
}

// CheckShards reads the manifests of shards, checks that they are all finished shards of the same
// run, and returns the first. The error is a *TaskError, or a *directory.Partial for a shard that
// is not finished.
func CheckShards(shards []string) (*directory.Manifest, error) {
	var first *directory.Manifest
	of := 0
	at := map[int]string{}
	wrong := func(format string, args ...any) (*directory.Manifest, error) {
		return nil, &TaskError{fmt.Errorf(format, args...)}
	}
	for _, dir := range shards {
		m, err := directory.ReadManifest(dir)
		if err != nil {
			return nil, &TaskError{err}
		}
		s, err := input.ParseShard(m.Shard, os.Getenv)
		switch {
		case err != nil || s.Of == 0:
			return wrong("%s is not a shard: it was run without --shard", dir)
		case first == nil:
			first, of = m, s.Of
		case m.RunID != first.RunID:
			return wrong("%s and %s are shards of different runs: %s", shards[0], dir, directory.Differences(first, m))
		case s.Of != of:
			return wrong("%s is one of %d shards, %s one of %d", shards[0], of, dir, s.Of)
		case at[s.Index] != "":
			return wrong("%s and %s are the same shard, %s", at[s.Index], dir, s)
		}
		if err := m.Whole(dir); err != nil {
			return nil, err
		}
		at[s.Index] = dir
	}
	var missing []string
	for i := range of {
		if at[i] == "" {
			missing = append(missing, input.Shard{Index: i, Of: of}.String())
		}
	}
	if len(missing) > 0 {
		return wrong("%d of %d shards are missing: %s", len(missing), of, strings.Join(missing, ", "))
	}
	return first, nil
}

// merged is the run whose shards are merged, with the failures in their journals by the first half
// of their fingerprints.
type merged struct {
	id       string
	failures map[[16]byte]*llm.Error
}

// joinJournals copies the journals of shards, one after the other and without damaged lines, into a
// new run's journal. It returns the failures in them.
func joinJournals(shards []string, dir string) (map[[16]byte]*llm.Error, error) {
	path := filepath.Join(dir, directory.ExchangesFile)
	partial := path + directory.PartEnding
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.RemoveAll(partial)); err != nil {
		return nil, err
	}
	out, err := journal.Open(partial)
	if err != nil {
		return nil, err
	}
	failures := map[[16]byte]*llm.Error{}
	for _, shard := range shards {
		for e, err := range journal.Containing(filepath.Join(shard, directory.ExchangesFile), nil) {
			if err == nil {
				err = out.Append(e)
			}
			if err != nil {
				return nil, errors.Join(err, out.Close())
			}
			if e.Error != nil {
				failures[[16]byte(e.Fingerprint[:16])] = e.Error
			}
		}
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	return failures, os.Rename(partial, path)
}

// replay answers one judge's requests from a journal, including failures, and sends nothing.
type replay struct {
	*merged
	journal *journal.Journal
	judge   *instrument.Judge
	version string // prompt version in fingerprints
}

func (r *replay) Do(_ context.Context, req llm.Request) (*llm.Response, error) {
	p, err := req.Prepare(r.judge.Kind, r.version)
	if err != nil {
		return nil, err
	}
	if res, ok := r.journal.Answer(p.Fingerprint); ok {
		return res, nil
	}
	if e := r.failures[[16]byte(p.Fingerprint[:16])]; e != nil {
		own := *e
		own.Endpoint = strings.TrimRight(r.judge.Endpoint.BaseURL, "/")
		return nil, &own
	}
	return nil, &llm.Error{
		Kind: llm.KindDeferred, Fatal: true,
		Message: fmt.Sprintf("no shard has an answer for %s; resume the shards, or merge those of one run", req.Key),
	}
}
