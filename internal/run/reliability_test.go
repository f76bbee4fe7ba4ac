package run

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/reliability"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
)

// allFaults runs the whole campaign and writes its table:
//
//	go test ./internal/run -run TestReliability -faults -timeout 60m
var allFaults = flag.Bool("faults", false, "run the whole campaign of faults and write docs/reliability.md")

// faultRun is one mode at one share.
type faultRun struct {
	mode  mode
	share float64
	late  bool
	items int
}

func (r faultRun) words() string {
	when := "from the start"
	if r.late {
		when = "after the first good reply"
	}
	return fmt.Sprintf("%g %%, %s", 100*r.share, when)
}

// TestReliability runs every mode of failure against a run with 16 requests in flight,
// in virtual time and with the run's own limits. Whatever the endpoint does, an item is
// scored as the reply intended, or unscored by the kind of the failure; a run that ended
// is resumed with an endpoint that is well again.
func TestReliability(t *testing.T) {
	modes := slices.Concat(busyModes(), refusalModes(), connectionModes(), bodyModes(), answerModes(), oddAnswerModes(),
		baitModes(), echoModes(), terminalModes(), restartModes())
	items, shares, lates := 40, []float64{1, 0.3}, []bool{true}
	if *allFaults {
		items, shares, lates = 60, []float64{1, 0.3, 0.03}, []bool{false, true}
	}
	if testing.Short() { // for the race detector, which makes all of it ten times slower
		items, shares = 6, []float64{0.3}
	}
	// Go's transport writes what a server sends too much to the log.
	log.SetOutput(io.Discard)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	calm := 0.0
	synctest.Test(t, func(t *testing.T) {
		s := newFaultyServer(faultRun{items: items})
		start := time.Now()
		faultOutcome(t, s, faultRun{items: items})
		calm = time.Since(start).Seconds()
	})
	var rows []reliability.Row
	for _, m := range modes {
		for _, share := range shares {
			for _, late := range lates {
				r := faultRun{m, share, late, items}
				if *allFaults && share == 0.3 && (m.class == "busy" || m.class == "connection") {
					r.items = 200 // so many failures by chance must not look like an outage
				}
				if m.away > 0 && (share < 1 || !late) {
					continue // a restart is for all
				}
				t.Run(m.class+" "+m.name+" "+r.words(), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						s := newFaultyServer(r)
						start := time.Now()
						row := faultOutcome(t, s, r)
						row.Seconds = time.Since(start).Seconds() - calm
						rows = append(rows, row)
						time.Sleep(10 * time.Second) // the server notices that the clients have gone
						t.Logf("%+v, %d requests", row, s.requests)
						if row.Lost+row.Wrong+row.Again > 0 {
							t.Errorf("%+v", row)
						}
					})
				})
			}
		}
	}
	if *allFaults && !t.Failed() {
		if err := reliability.Update("../../docs/reliability.md", "endpoint", rows); err != nil {
			t.Error(err)
		}
	}
}

func newFaultyServer(r faultRun) *faultyServer {
	return &faultyServer{mode: r.mode, share: r.share, late: r.late, took: 200 * time.Millisecond, start: time.Now(), seen: map[int]int{}, good: map[int]int{}}
}

// faultOutcome judges the items, heals the server, resumes where the run ended early,
// and holds each score against what the server intended.
func faultOutcome(t *testing.T, s *faultyServer, r faultRun) reliability.Row {
	row := reliability.Row{Class: r.mode.class, Mode: r.mode.name, Share: r.words(), Items: r.items}
	p := shortPlan(t, "http://faulty.example/v1", "campaign", shortLog(r.items, ""))
	p.Judges[0].Config.Transport, p.Judges[0].Config.MaxRepairs = llm.JSONSchema, 2
	p.Judges[0].Endpoint = client.Endpoint{BaseURL: "http://faulty.example/v1", Concurrency: 16, APIKey: client.NewSecret(campaignKey)}
	p.Outage = client.DefaultOutage
	dir := t.TempDir()
	var mu sync.Mutex
	notices := 0
	obs := Observer{Note: func(line string) { clean(t, "a note", line) }, Outage: func(n client.Notice) {
		clean(t, "a notice", fmt.Sprintf("%+v", n))
		mu.Lock()
		defer mu.Unlock()
		notices++
	}}
	for resumed := false; ; resumed = true {
		transport := s.transport()
		p.transport = transport
		out, err := executeSetup(t.Context(), p, dir, resumed, obs)
		if err != nil {
			clean(t, "the error", err.Error())
		}
		transport.CloseIdleConnections()
		stopped := err == nil && len(out.Manifest.Stopped) > 0
		if err == nil && (!stopped || resumed) {
			break
		}
		var e *llm.Error
		if stopped {
			e = &llm.Error{Kind: "nothing was scored", Fatal: true}
		} else if resumed || !errors.As(err, &e) || !e.Fatal {
			t.Errorf("resumed %v: %v", resumed, err)
			row.Note = err.Error()
			break
		}
		row.Note = "ended (" + string(e.Kind) + "), resumed"
		s.mu.Lock()
		s.well = true
		s.mu.Unlock()
	}
	if r.share < 1 && notices > 0 && !r.mode.sticky {
		t.Errorf("false alarm: %d notices of an outage", notices)
	}
	cleanFiles(t, dir)
	s.tally(t, &row, dir)
	return row
}

// private is what no output may hold: the key, whole or its second half, addresses in
// memory, places in the source, and what moves a terminal.
var private = regexp.MustCompile(campaignKey[3:] + `|\b0xc0[0-9a-f]{6,}|goroutine \d+ \[|[\w/]+\.go:\d+`)

func clean(t *testing.T, what, text string) {
	t.Helper()
	if found := private.FindString(text); found != "" {
		t.Errorf("%s shows %q: %.2000s", what, found, text)
	}
}

// cleanFiles looks into every file of a run directory, as it stands and with its escapes
// undone.
func cleanFiles(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data := read(t, dir, f.Name())
		clean(t, f.Name(), string(data))
		if at := bytes.IndexAny(data, "\x1b\x07\u202e"); at >= 0 && !strings.HasSuffix(f.Name(), ".jsonl") {
			t.Errorf("%s moves a terminal at %d: %q", f.Name(), at, data[max(0, at-80):at+20])
		}
		for range 3 { // an escape in the text of a text of a text
			data = asciiEscape.ReplaceAllFunc(data, func(b []byte) []byte {
				c, _ := strconv.ParseUint(string(b[len(b)-2:]), 16, 8)
				return []byte{byte(c)}
			})
			clean(t, f.Name()+", decoded", string(data))
		}
	}
}

var asciiEscape = regexp.MustCompile(`\\+u00[0-9a-fA-F]{2}`)

// tally counts the items of a finished run by how they ended.
func (s *faultyServer) tally(t *testing.T, row *reliability.Row, dir string) {
	seen := map[string]bool{}
	for sc, err := range directory.Scores(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if sc.Source != score.Judge || seen[sc.ConversationID] {
			continue
		}
		seen[sc.ConversationID] = true
		item, err := strconv.Atoi(sc.ConversationID[1:])
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case sc.Status == score.Scored && sc.Value != nil && int(*sc.Value) == campaignOutput(item):
			row.Right++
		case sc.Status == score.Scored:
			row.Wrong++
		case sc.Error != nil && !s.mode.scored && slices.Contains(strings.Fields(s.mode.kinds+" stopped"), sc.Error.Kind):
			row.Named++
		default:
			t.Errorf("%s: %s, %+v", sc.ConversationID, sc.Status, sc.Error)
		}
	}
	row.Lost = row.Items - row.Right - row.Wrong - row.Named
	for _, n := range s.good {
		row.Again += n - 1
	}
}
