package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
)

// Merge joins the shards of one run in a directory of its own: the journals become one, and
// the whole run is made again of it. So every file is that of a run without shards, and the
// run can be resumed like one. Nothing is sent. The plan is that of the shards; memory is
// that of one run.
func Merge(ctx context.Context, plan Plan, shards []string, dir string, obs Observer) (*Outcome, error) {
	first, err := CheckShards(shards)
	if err != nil {
		return nil, err
	}
	if err := joinJournals(shards, dir); err != nil {
		return nil, &directory.Error{Message: err.Error()}
	}
	directory.Bound(shards[0], plan.Logs)
	plan.Shard, plan.merged = input.Shard{}, first.RunID
	return Execute(ctx, plan, dir, false, obs)
}

// CheckShards reads the manifests of shards and makes sure that they are all shards of one
// run, each of them finished. It returns the first. The error is a *PlanError, or a
// *directory.Partial for a shard that is not finished.
func CheckShards(shards []string) (*directory.Manifest, error) {
	var first *directory.Manifest
	of := 0
	at := map[int]string{}
	wrong := func(format string, args ...any) (*directory.Manifest, error) {
		return nil, &PlanError{fmt.Errorf(format, args...)}
	}
	for _, dir := range shards {
		m, err := directory.ReadManifest(dir)
		if err != nil {
			return nil, &PlanError{err}
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

// joinJournals writes the journals of shards one after the other into that of a new run.
func joinJournals(shards []string, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	path := filepath.Join(dir, directory.ExchangesFile)
	out, err := directory.Create(path + directory.PartEnding)
	if err != nil {
		return err
	}
	for _, shard := range shards {
		if err := appendJournal(out, filepath.Join(shard, directory.ExchangesFile)); err != nil {
			return errors.Join(err, out.Close())
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(path+directory.PartEnding, path)
}

func appendJournal(to io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(to, f)
	if err != nil || n == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, n-1); err == nil && last[0] != '\n' {
		_, err = to.Write([]byte{'\n'}) // a torn line must not spoil the next one
		return err
	}
	return nil
}

// replays makes the completer of each judge of a plan that is merged.
func (p *Plan) replays(j *journal.Journal) (list []*replay, err error) {
	failed, err := failures(j)
	if err != nil {
		return nil, err
	}
	for i := range p.Judges {
		spec := &p.Judges[i]
		list = append(list, &replay{journal: j, failures: failed, kind: spec.Kind, version: p.promptVersion(i),
			base: strings.TrimRight(spec.Endpoint.BaseURL, "/")})
	}
	return list, nil
}

// replay answers the requests of one judge from a journal, failures too, and sends nothing.
type replay struct {
	journal  *journal.Journal
	failures map[[16]byte]*llm.Error
	kind     llm.Kind
	version  string // of the prompts, in fingerprints
	base     string
}

// failures are the failures of a journal by the first half of their fingerprints.
func failures(j *journal.Journal) (map[[16]byte]*llm.Error, error) {
	out := map[[16]byte]*llm.Error{}
	for e, err := range j.Entries() {
		if err != nil && e == nil {
			continue // a damaged line, which was named when the journal was opened
		}
		if e.Good || e.Error == nil {
			continue
		}
		out[[16]byte(e.Fingerprint[:16])] = e.Error
	}
	return out, nil
}

func (r *replay) Do(_ context.Context, req llm.Request) (*llm.Response, error) {
	p, err := req.Prepare(r.kind, r.version)
	if err != nil {
		return nil, err
	}
	if res, ok := r.journal.Answer(p.Fingerprint); ok {
		return res, nil
	}
	if e := r.failures[[16]byte(p.Fingerprint[:16])]; e != nil {
		own := *e
		own.Endpoint = r.base
		return nil, &own
	}
	return nil, &llm.Error{
		Kind: llm.KindDeferred, Fatal: true,
		Message: fmt.Sprintf("no shard has an answer for %s; resume the shards, or merge those of one run", req.Key),
	}
}
