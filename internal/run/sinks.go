package run

import (
	"bytes"
	"errors"
	"os"
	"time"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
)

// sinks receives every graded conversation of a run once, in log order. It writes the files of the
// run directory, builds the report's table and the page's data, and counts.
type sinks struct {
	spec   *Spec
	in     *Instruments
	out    *Outcome
	costs  costs
	scores *directory.Buffered
	items  *directory.ItemsWriter
	queues []*queueFile
	table  *measure.Builder
	page   *page.Collector
	spool  *os.File
	// lines holds the encoded scores of the current conversation.
	lines bytes.Buffer
}

// openSinks creates the files of a run, under temporary names.
func openSinks(s *Spec, in *Instruments, out *Outcome) (k *sinks, err error) {
	k = &sinks{spec: s, in: in, out: out, costs: costsOf(in.Judges)}
	id := in.manifest.RunID
	if k.scores, err = directory.CreateScores(in.dir, id); err != nil {
		return k, err
	}
	if k.queues, err = createQueues(in.dir, id, in.Cascades); err != nil {
		return k, errors.Join(err, k.scores.Close())
	}
	if k.items, err = directory.CreateItems(in.dir, id); err == nil {
		k.spool, err = directory.CreateSpool(in.dir)
	}
	if err != nil {
		return k, errors.Join(err, k.scores.Close(), closeQueues(k.queues, false))
	}
	k.table = measure.NewBuilder(&in.manifest.Manifest, s.Report)
	spool := page.NewSpool(k.spool)
	k.table.ReadTexts(spool.Scores)
	k.page = page.NewCollector(in.manifest.Rubrics, nil, spool)
	return k, nil
}

// add writes the scores of one conversation: labels, deterministic scores, judgements.
func (k *sinks) add(g *graded) error {
	if err := k.items.Add(g.conversation); err != nil {
		return err
	}
	k.spec.redecide(g.scores)
	k.in.grader.tally(g)
	for _, list := range [][]score.Score{labelScores(g.conversation, k.in.Rubrics), g.scores} {
		for i := range list {
			if err := k.score(&list[i]); err != nil {
				return err
			}
		}
	}
	k.in.grader.scorers.Reuse(g.scores)
	for i := range g.results {
		r := &g.results[i]
		if err := addUnresolved(k.queues, g.conversation, r); err != nil {
			return err
		}
		k.count(r)
		s := r.Score()
		s.Place = g.conversation.Source.String()
		if err := k.score(&s); err != nil {
			return err
		}
	}
	_, err := k.scores.Write(k.lines.Bytes())
	err = errors.Join(err, k.page.End(g.conversation, k.lines.Bytes()))
	k.lines.Reset()
	return err
}

func (k *sinks) score(s *score.Score) error {
	k.table.Add(s)
	k.page.Add(s)
	return score.Encode(&k.lines, s)
}

// count adds a judgement to the report's counts, which are the same for an undisturbed run and a
// resumed one.
func (k *sinks) count(r *judges.Result) {
	if r.Joint() {
		return // the members are counted
	}
	switch noRule := r.ErrorKind == judges.KindNoRule; {
	case noRule && k.in.AsksAny():
		return // the judgements that were asked for can still be complete
	case noRule:
		k.out.NoRule++
	case r.Verdict != judges.NoVerdict:
		k.out.Scored++
	}
	k.out.Wanted++
	m := k.in.manifest
	m.CountTransport(r)
	k.costs.add(r)
	c := &m.Counts
	c.Requests += r.Requests
	if r.Repairs > 0 {
		c.Repaired++
	}
	for _, pair := range []struct {
		sum *int64
		n   *int
	}{{&c.PromptTokens, r.Usage.Prompt}, {&c.CompletionTokens, r.Usage.Completion},
		{&c.ReasoningTokens, r.Usage.Reasoning}} {
		if pair.n != nil {
			*pair.sum += int64(*pair.n)
		}
	}
}

// finish closes the files and, if the run finished, gives them their real names. It returns runErr
// first.
func (k *sinks) finish(runErr error) error {
	err := errors.Join(k.scores.Finish(), k.items.Finish(), closeQueues(k.queues, runErr == nil))
	if runErr != nil {
		return runErr
	}
	if err == nil {
		err = k.in.manifest.Name(k.in.dir, k.scores.Written, k.items.Written)
	}
	return err
}

// close removes the spool.
func (k *sinks) close() {
	if k.spool != nil {
		_ = k.spool.Close()
		_ = os.Remove(k.spool.Name())
	}
}

// describe completes the manifest with what is known after the logs were read.
func (k *sinks) describe(w *watch) {
	m, r := k.in.manifest, k.out.Reading
	ended := time.Now().UTC().Truncate(time.Second)
	m.Ended, m.Inputs = &ended, r.Inputs
	m.Counts.Conversations, m.Counts.Calls = r.Conversations, r.Calls
	m.Counts.Notes, m.Counts.Costs = r.NoteCounts(), k.costs.report()
	m.Metrics, m.ByParameter = k.in.grader.figures(), k.in.grader.parameters()
	m.Unreadable, m.Problems, m.NotePlaces = r.Unreadable, r.Problems, r.NotePlaces
	m.Work, m.Judgements = w.work, k.out.Judgements
}
