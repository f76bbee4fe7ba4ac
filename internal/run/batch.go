package run

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/batch"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

// batchFolder is the folder in a run directory with the rounds of batch files.
const batchFolder = "batch"

// importedFile exists in the folder of a round after answers to it were imported.
const importedFile = "imported"

// indexEnding is the ending of the files that list the requests of a judge's batch files.
const indexEnding = ".index"

// Round is one export of requests to batch files. The answers can lead to further requests, such as
// repairs and later tiers of cascades: these are the next round.
type Round struct {
	// Dir is the folder of the round in the run directory.
	Dir string
	// Requests counts the requests in the round's files.
	Requests int
	// jobs lists the files, judge by judge.
	jobs []job
}

// Files returns the names of the batch files, judge by judge.
func (r *Round) Files() (names []string) {
	for i := range r.jobs {
		names = append(names, r.jobs[i].File)
	}
	return names
}

// ExportBatch writes to batch files the requests of a run that the journal in its directory does
// not answer. A round without requests leaves no folder. kept returns the profiles of the
// endpoints, for the next round. It fails like [Prepare] and [Execute].
func ExportBatch(ctx context.Context, s *Spec, dir string, means Means, limits batch.Limits, obs Observer,
) (round Round, kept []instrument.Profile, err error) {
	rounds, err := roundsOf(dir)
	if err != nil {
		return round, nil, err
	}
	round.Dir = filepath.Join(dir, batchFolder, fmt.Sprintf("round-%d", len(rounds)+1))
	partial := round.Dir + directory.PartEnding
	var writers []*batch.Writer
	means.senders = func(team *instrument.Team) (list []llm.Sender, err error) {
		if err := errors.Join(os.RemoveAll(partial), os.MkdirAll(partial, 0o700)); err != nil {
			return nil, err
		}
		for i := range team.Judges {
			w := newBatchWriter(partial, i, &team.Judges[i], limits)
			writers, list = append(writers, w), append(list, w)
		}
		return list, nil
	}
	in, err := Prepare(ctx, s, dir, means, obs)
	if err != nil {
		return round, nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if err := export(ctx, s, in, writers, &obs); err != nil {
		return round, nil, err
	}
	for i, w := range writers {
		round.Requests += w.Requests
		for _, name := range w.Files {
			round.jobs = append(round.jobs, job{File: name, Judge: i})
		}
	}
	if round.Requests == 0 {
		return round, in.Profiles(), os.RemoveAll(partial)
	}
	return round, in.Profiles(), os.Rename(partial, round.Dir)
}

// newBatchWriter creates the writer for judge i.
func newBatchWriter(dir string, i int, j *instrument.Judge, limits batch.Limits) *batch.Writer {
	base := j.Endpoint.BaseURL
	body := func(p *llm.Prepared) ([]byte, error) { return client.Body(p, base) }
	return batch.NewWriter(dir, fmt.Sprintf("%d-%s", i+1, fileName(j.Name())), base, limits, body)
}

// fileName returns a judge's name without characters that file systems reject.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, name)
}

// export makes every judgement's requests and writes those without an answer, in log order.
func export(ctx context.Context, s *Spec, in *Instruments, writers []*batch.Writer, obs *Observer) error {
	cfg := in.RunConfig()
	cfg.ShuffleSeed, cfg.Progress = uint64(s.Seed)+1, obs.Judged
	conversations := func(yield func(*graded, error) bool) {
		for c, err := range in.source.Conversations(ctx, &input.Reading{}) {
			if !yield(&graded{conversation: c}, err) || err != nil {
				return
			}
		}
	}
	err := judges.Run(ctx, in.list, in.items(conversations), cfg, func(o *judges.Outcome) error {
		keys := judges.RequestKeys(o.Item.Conversation, s.Rubrics)
		for _, w := range writers {
			if err := w.Flush(keys); err != nil {
				return err
			}
		}
		return nil
	})
	for _, w := range writers {
		err = errors.Join(err, w.Close())
	}
	return err
}

// roundsOf returns the folders of a run directory's rounds, first round first.
func roundsOf(dir string) ([]string, error) {
	var out []string
	for {
		next := filepath.Join(dir, batchFolder, fmt.Sprintf("round-%d", len(out)+1))
		switch _, err := os.Stat(next); {
		case errors.Is(err, os.ErrNotExist):
			return out, nil
		case err != nil:
			return nil, err
		}
		out = append(out, next)
	}
}

// Import counts what was in the outputs of batches.
type Import struct {
	// Answers were written to the journal; Known were there before.
	Answers, Known int
	// Failed counts replies without an answer, Unknown replies to no request of this run,
	// Unreadable lines that are not replies.
	Failed, Unknown, Unreadable int
	// Missing counts the requests without an answer in all rounds, Requests all requests.
	Missing, Requests int
	// Problems names the first problems of each kind, with their places.
	Problems []string
}

// maxNamed limits how many problems of a kind an import names.
const maxNamed = 3

// ImportBatch writes the answers in output files of batches to the journal of a run directory. It
// skips answers that the journal already has, so that a file can be imported twice.
func ImportBatch(dir string, names []string) (result *Import, err error) {
	rounds, err := roundsOf(dir)
	if err != nil {
		return nil, err
	}
	requests, err := batchRequests(rounds)
	if err != nil {
		return nil, err
	}
	if len(requests) == 0 {
		return nil, &directory.Error{
			Message: dir + ": no batch was exported from this run; judge batch export does that"}
	}
	j, err := journal.Open(filepath.Join(dir, directory.ExchangesFile))
	if err != nil {
		return nil, &directory.Error{Message: err.Error()}
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	in := &importer{journal: j, requests: requests, result: &Import{Requests: len(requests)}, named: map[string]int{}}
	for _, name := range names {
		if err := in.file(name); err != nil {
			return in.result, err
		}
	}
	in.missing()
	return in.result, os.WriteFile(filepath.Join(rounds[len(rounds)-1], importedFile), nil, 0o600)
}

// batchRequests reads the indexes of all rounds.
func batchRequests(rounds []string) (map[llm.Fingerprint]batch.Request, error) {
	out := map[llm.Fingerprint]batch.Request{}
	for _, round := range rounds {
		indexes, err := fs.Glob(os.DirFS(round), "*"+indexEnding) // the folder's name might look like a pattern
		if err != nil {
			return nil, err
		}
		for _, name := range indexes {
			if err := readIndex(round, name, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func readIndex(round, name string, out map[llm.Fingerprint]batch.Request) error {
	f, err := os.Open(filepath.Join(round, name))
	if err != nil {
		return err
	}
	defer f.Close()
	in := json.NewDecoder(bufio.NewReader(f))
	for {
		var r batch.Request
		switch err := in.Decode(&r); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: damaged: %w", f.Name(), err)
		}
		r.File = filepath.Base(round) + "/" + r.File
		out[r.ID] = r
	}
}

// importer reads output files into a journal.
type importer struct {
	journal  *journal.Journal
	requests map[llm.Fingerprint]batch.Request
	result   *Import
	named    map[string]int // by kind of problem
}

// problem counts a problem of a kind, and keeps its text if it is one of the first.
func (in *importer) problem(kind, format string, args ...any) {
	if in.named[kind]++; in.named[kind] <= maxNamed {
		in.result.Problems = append(in.result.Problems, fmt.Sprintf(format, args...))
	}
}

func (in *importer) file(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for r, err := range batch.Replies(f) {
		if _, failed := errors.AsType[*fs.PathError](err); failed {
			return fmt.Errorf("%s: %w", name, err) // an error of the file, not of a line
		}
		if err != nil {
			in.result.Unreadable++
			in.problem("unreadable", "%s: %v", name, err)
			continue
		}
		if err := in.reply(name, &r); err != nil {
			return err
		}
	}
	return nil
}

func (in *importer) reply(name string, r *batch.Reply) error {
	req, ok := in.requests[r.ID]
	if !ok {
		in.result.Unknown++
		in.problem("unknown", "%s:%d: answers no request of this run", name, r.Line)
		return nil
	}
	if _, ok := in.journal.Answer(r.ID); ok {
		in.result.Known++
		return nil
	}
	entry := &journal.Entry{
		Fingerprint: r.ID, Endpoint: req.Endpoint, Kind: req.Kind, Model: req.Model, Key: req.Key,
		Transport: req.Transport, Attempts: 1,
	}
	if entry.End(r.RawReply, r.Response, r.Error); entry.Good {
		in.result.Answers++
	} else {
		in.result.Failed++
		in.problem("failed", "%s:%d: %s: %v", name, r.Line, req.Key, r.Error)
	}
	return in.journal.Append(entry)
}

// missing counts the requests without an answer, and names the first ones of each file.
func (in *importer) missing() {
	all, missing := map[string]int{}, map[string][]string{}
	for id, r := range in.requests {
		all[r.File]++
		if _, ok := in.journal.Answer(id); !ok {
			missing[r.File] = append(missing[r.File], r.Key)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		keys := slices.Sorted(slices.Values(missing[name]))
		in.result.Missing += len(keys)
		if len(keys) == all[name] {
			in.problem("missing", "%s: none of its %d requests has an answer", name, len(keys))
			continue
		}
		in.problem("missing", "%s: %d of %d requests have no answer, the first: %s", name, len(keys), all[name],
			strings.Join(keys[:min(maxNamed, len(keys))], "; "))
	}
}

// Outstanding returns an error if the last round has requests and none of its answers was imported:
// a new export would pay for them twice.
func Outstanding(dir string) error {
	rounds, err := roundsOf(dir)
	if err != nil || len(rounds) == 0 {
		return err
	}
	last := rounds[len(rounds)-1]
	if _, err := os.Stat(filepath.Join(last, importedFile)); err == nil {
		return nil
	}
	return fmt.Errorf("%s has no answers yet: import them by judge batch import, or export its requests once more "+
		"with --again", last)
}
