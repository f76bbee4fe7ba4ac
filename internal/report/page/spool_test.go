package page

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// memory is a file in memory, of which writing or reading may fail.
type memory struct {
	bytes.Buffer
	broken error
}

func (m *memory) Write(p []byte) (int, error) {
	if m.broken != nil {
		return 0, m.broken
	}
	return m.Buffer.Write(p)
}

func (m *memory) ReadAt(p []byte, at int64) (int, error) {
	if m.broken != nil {
		return 0, m.broken
	}
	return bytes.NewReader(m.Bytes()).ReadAt(p, at)
}

// spooled writes conversations with their scores, by name.
func spooled(t *testing.T, s *Spool, ids ...string) {
	t.Helper()
	for _, id := range ids {
		var lines bytes.Buffer
		for _, name := range []string{"one", "two"} {
			x := judgement(name+"-"+id, "j", 0, 'p')
			x.ConversationID = id
			if err := score.Encode(&lines, &x); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.add(&transcript.Conversation{ID: id}, []string{`"a quote"`}, lines.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
}

func namesIn(s *Spool, ids ...string) string {
	var got []string
	for x, err := range s.Scores(ids...) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, x.Name)
	}
	return strings.Join(got, " ")
}

// TestScoresOfASpool: scores come in log order, each conversation once; an unknown one has none.
func TestScoresOfASpool(t *testing.T) {
	s := NewSpool(&memory{})
	spooled(t, s, "b", "a", "c")
	for _, tt := range []struct{ ids, want string }{
		{"a", "one-a two-a"}, {"a b", "one-b two-b one-a two-a"}, {"c a c", "one-a two-a one-c two-c"}, {"none", ""},
		{"a none", "one-a two-a"},
	} {
		if got := namesIn(s, strings.Fields(tt.ids)...); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.ids, got, tt.want)
		}
	}
	found, err := s.conversations(t.Context(), map[string][]string{"a": nil, "none": nil})
	if err != nil || len(found) != 1 || !strings.HasPrefix(string(found["a"]), `{"id":"a",`) {
		t.Errorf("%s, %v", found, err)
	}
	for x := range s.Scores("a", "b") {
		if x.Name != "one-b" {
			t.Errorf("the first is %s", x.Name)
		}
		break
	}
}

// TestDamagedSpool: errors of the file, and a line that is no score, end the reading.
func TestDamagedSpool(t *testing.T) {
	file, gone := &memory{}, errors.New("disk gone")
	s := NewSpool(file)
	spooled(t, s, "a")
	file.broken = gone
	if got := namesIn(s, "a"); got != "disk gone" {
		t.Errorf("a file that cannot be written: %s", got)
	}
	file = &memory{}
	s = NewSpool(file)
	spooled(t, s, "a")
	if got := namesIn(s, "a"); got != "one-a two-a" {
		t.Errorf("a good file: %s", got)
	}
	file.broken = gone
	if got := namesIn(s, "a"); got != "disk gone" {
		t.Errorf("a file that cannot be read: %s", got)
	}
	if found, err := s.conversations(t.Context(), map[string][]string{"a": nil}); found != nil || !errors.Is(err, gone) {
		t.Errorf("%v, %v", found, err)
	}
	file.broken = nil
	file.Truncate(file.Len() - 1)
	if got := namesIn(s, "a"); got != "EOF" {
		t.Errorf("a file that is cut: %s", got)
	}
	s = NewSpool(&memory{})
	if err := s.add(&transcript.Conversation{ID: "a"}, nil, []byte("no score\n")); err != nil {
		t.Fatal(err)
	}
	if got := namesIn(s, "a"); got == "" || strings.Contains(got, "one") {
		t.Errorf("a line that is no score: %q", got)
	}
}

// TestWhatIsSpooled: the first 300 items and every conversation in which something fails.
func TestWhatIsSpooled(t *testing.T) {
	s := NewSpool(&memory{})
	c := NewCollector(nil, nil, s)
	end := func(id string, verdicts string) {
		for k := range verdicts {
			x := judgement("overall", "j", k, verdicts[k])
			x.ConversationID, x.Evidence = id, `"a quote"`
			c.Add(&x)
		}
		if err := c.End(&transcript.Conversation{ID: id}, []byte("{}\n")); err != nil {
			t.Fatal(err)
		}
	}
	quoting := judgement("overall", "j", 0, 'p')
	quoting.Evidence = `"words to find"`
	other := NewCollector(nil, nil, NewSpool(&memory{}))
	other.Add(&quoting)
	differs := judgement("overall", "k", 0, 'f')
	other.Add(&differs)
	filler := strings.Repeat("-", 5000)
	long := &transcript.Conversation{ID: "c", Messages: []transcript.Message{{Role: transcript.User, Result: -1,
		Content: filler + "words to find" + filler}}}
	if err := other.End(long, nil); err != nil || len(other.differ) != 1 || len(other.evidence) != 0 {
		t.Errorf("%d items differ, %v", len(other.differ), err)
	}
	if text, _, err := other.spool.read("c"); err != nil || !bytes.Contains(text, []byte("words to find")) {
		t.Errorf("the quote is not kept: %v", err)
	}
	full := NewCollector(nil, nil, NewSpool(&memory{broken: errors.New("disk full")}))
	full.Add(&quoting)
	if err := full.End(long, bytes.Repeat([]byte("x"), 1<<17)); err == nil || err.Error() != "disk full" {
		t.Errorf("a full disk: %v", err)
	}
	if err := c.End(nil, nil); err != nil || len(s.at) != 0 {
		t.Errorf("nothing was added, and %d conversations are spooled: %v", len(s.at), err)
	}
	end("first", strings.Repeat("p", 299))
	end("last", "pp")
	end("beyond", "pp")
	end("fails", "pfp")
	kept := func(id string) bool { _, ok := s.at[s.hash(id)]; return ok }
	if got := fmt.Sprint(kept("first"), kept("last"), kept("beyond"), kept("fails")); got != "true true false true" {
		t.Errorf("spooled are first, last, beyond and fails: %s", got)
	}
	by := c.fails[report.Instrument{Source: "judge", Name: "overall", Judge: "j", Level: report.CallLevel}]
	if len(c.first) != 300 || c.items != 306 || by == nil || by.n != 1 || len(by.first) != 1 || by.first[0].order != 304 {
		t.Errorf("%d first of %d items, fails %+v", len(c.first), c.items, by)
	}
	for i := range 301 {
		end(fmt.Sprint("more", i), "f")
	}
	if by.n != 302 || len(by.first) != 300 {
		t.Errorf("%d fail, %d are kept", by.n, len(by.first))
	}
}
