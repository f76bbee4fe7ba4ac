package run

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// ledger collects what is known of scores only at the end of a run: answers to prompts
// that the server turns out to have cut, and what a cascade then leaves to people. Score
// stream and queue files are in log order however they are amended.
//
// Lines of the score stream are counted from 0, the header not among them. A ledger is not
// safe for concurrent use, and must be ended by close or abandon.
type ledger struct {
	queues []*queueFile
	// lines counts the lines of the score stream.
	lines    int
	suspects map[string][]*suspect // by judge
	joint    []jointLine
}

// suspect is an answer for whose prompt a server counted tokens: it may rest on a cut
// record.
type suspect struct {
	judges.Count
	line   int
	scored bool
	// cut is decided at the end.
	cut bool
}

// jointLine is a score that was made of suspects: of those of its last tier. An answer that
// a cascade passed on costs nothing when it turns out to be void. A panel has one tier.
type jointLine struct {
	line  int
	tiers [][]*suspect
	queue *queueFile // nil for a panel
}

// openLedger starts the queue files of a run directory.
func openLedger(dir, runID string, cascades []Cascade) (*ledger, error) {
	l := &ledger{suspects: map[string][]*suspect{}}
	for _, c := range cascades {
		q, err := createQueue(dir, runID, c)
		if err != nil {
			return nil, errors.Join(err, l.abandon())
		}
		l.queues = append(l.queues, q)
	}
	return l, nil
}

// answerKey names one answer about one conversation.
type answerKey struct {
	call          int
	rubric, judge string
}

// note notes what the results of one conversation mean for others: what is left to
// people, and what only the end of the run can decide. Their lines come next.
func (l *ledger) note(c *transcript.Conversation, results []judges.Result) error {
	doubtful := map[answerKey][]*suspect{}
	for i := range results {
		r := &results[i]
		key := answerKey{r.CallIndex, r.Rubric, r.Judge}
		if !r.Joint() {
			if r.Counted.Tokens > 0 {
				s := &suspect{Count: r.Counted, line: l.lines + i, scored: r.Output != nil}
				doubtful[key], l.suspects[r.Judge] = []*suspect{s}, append(l.suspects[r.Judge], s)
			}
			continue
		}
		j := jointLine{line: l.lines + i}
		of := func(judge string) []*suspect { return doubtful[answerKey{r.CallIndex, r.Rubric, judge}] }
		if r.Panel != nil {
			j.tiers = make([][]*suspect, 1)
			for _, m := range r.Panel.Members {
				j.tiers[0] = append(j.tiers[0], of(m.Judge)...)
			}
		}
		if r.Climb != nil {
			j.tiers, j.queue = nil, l.queueOf(r.Judge)
			for _, t := range r.Climb.Tiers {
				j.tiers = append(j.tiers, of(t.Judge))
			}
		}
		if slices.ContainsFunc(j.tiers, func(t []*suspect) bool { return t != nil }) {
			l.joint = append(l.joint, j)
			doubtful[key] = j.tiers[len(j.tiers)-1]
		}
		// What rests on doubtful answers is queued in case they turn out to be void.
		if q := j.queue; q != nil && (r.Climb.Unresolved || q.onError && doubtful[key] != nil) {
			if err := q.add(c, r, j.line); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *ledger) queueOf(cascade string) *queueFile {
	for _, q := range l.queues {
		if q.Name == cascade {
			return q
		}
	}
	return nil
}

// voiding says why a score does not count; of a cascade's it names the void tiers, and
// whether the cascade leaves errors to people.
type voiding struct {
	why   string
	tiers []int
	open  bool
	// counts says that only earlier tiers are void: the score itself counts.
	counts bool
}

// close amends the score stream at path, which is complete and closed, and ends the
// queues. unscored is how many judgements lose their score; limit is what a judge has room
// for.
func (l *ledger) close(path string, limit func(judge string) judges.Limit) (unscored int, err error) {
	void, unscored := l.decide(limit)
	for _, q := range l.queues {
		if err := q.finish(void); err != nil {
			return 0, err
		}
	}
	if len(void) == 0 {
		return 0, nil
	}
	err = rewrite(path, func(n int, line []byte) ([]byte, error) {
		if v, ok := void[n]; ok && !v.counts {
			return v.apply(line)
		}
		return line, nil
	})
	return unscored, err
}

// abandon ends the queues of a run that did not finish: the files stay without
// their names, and those of an earlier end stay.
func (l *ledger) abandon() (err error) {
	for _, q := range l.queues {
		err = errors.Join(err, q.file.Close())
	}
	return err
}

// decide says which lines are void, and how many judgements are among them.
func (l *ledger) decide(limit func(string) judges.Limit) (void map[int]voiding, unscored int) {
	void = map[int]voiding{}
	for judge, list := range l.suspects {
		counts := make([]judges.Count, len(list))
		for i, s := range list {
			counts[i] = s.Count
		}
		for i, isCut := range cut(counts, limit(judge)) {
			s := list[i]
			if s.cut = isCut; isCut && s.scored {
				void[s.line] = voiding{open: true,
					why: fmt.Sprintf("the server counted %d tokens for a prompt of %d bytes, "+
						"fewer than for others like it: it cut the prompt; raise its context size", s.Tokens, s.Bytes())}
				unscored++
			}
		}
	}
	for _, j := range l.joint {
		v := voiding{
			why: "it was made of answers to prompts that the server cut", open: j.queue == nil || j.queue.onError,
		}
		for i, tier := range j.tiers {
			if slices.ContainsFunc(tier, func(s *suspect) bool { return s.cut }) {
				v.tiers = append(v.tiers, i)
			}
		}
		if len(v.tiers) > 0 {
			v.counts = !slices.Contains(v.tiers, len(j.tiers)-1)
			void[j.line] = v
		}
	}
	return void, unscored
}

// apply turns the line of a score into that of an answer that does not count, which
// counts as an error everywhere: it escalates, and a cascade that rests on it is
// unresolved.
func (v voiding) apply(line []byte) ([]byte, error) {
	s, err := score.Parse(bytes.TrimSpace(line))
	if err != nil {
		return nil, err
	}
	if s.Status == score.Scored {
		s.Status, s.Value, s.Passed, s.Label, s.Confidence = score.Unscored, nil, nil, "", nil
		s.Error = &score.Failure{Kind: judges.KindContextCut, Message: v.why}
	}
	s.Details = s.Details.With("escalate", value.OfBool(v.open))
	if climb := s.Details.Field("cascade"); !climb.IsNull() {
		climb = climb.With("unresolved", value.OfBool(v.open))
		s.Details = s.Details.With("cascade", v.voidTiers(climb))
	}
	var out bytes.Buffer
	err = score.Encode(&out, &s)
	return out.Bytes(), err
}

// voidTiers turns the void tiers into those of an error, in an object that has them as
// score details and queue lines do.
func (v voiding) voidTiers(of value.Value) value.Value {
	tiers := of.Field("tiers")
	for _, i := range v.tiers {
		t := tiers.At(i).With("output", value.Value{}).With("confidence", value.Value{})
		t = t.With("verdict", value.OfString(judges.NoVerdict)).With("escalated",
			value.OfStrings(string(judges.OnError)))
		tiers = tiers.WithAt(i, t)
	}
	return of.With("tiers", tiers)
}

// rewrite replaces a file of lines by what edit makes of each line behind the first,
// counted from 0; the slice is edit's own.
func rewrite(path string, edit func(n int, line []byte) ([]byte, error)) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := directory.Create(path + ".amended")
	if err != nil {
		return err
	}
	defer out.Close()
	from := bufio.NewReaderSize(in, 1<<16)
	for n := -1; ; n++ {
		line, err := from.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) == 0 {
			break
		}
		if n >= 0 {
			if line, err = edit(n, line); err != nil {
				return fmt.Errorf("amend %s: %w", path, err)
			}
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	if err := out.Close(); err != nil {
		return err
	}
	return os.Rename(path+".amended", path)
}
