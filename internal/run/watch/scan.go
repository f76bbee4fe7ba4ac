package watch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
)

// keySize is the size of a key: among a million calls, two have the same key with a probability of
// about 3 in 100 million.
const keySize = 8

// key identifies a conversation or a call by its content, in whatever file it is.
type key string

// keys is a list of keys, joined without separators.
type keys []byte

func keyOf(parts ...string) key {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return key(hex.EncodeToString(sum[:keySize]))
}

func (k *keys) add(one key) {
	raw, _ := hex.DecodeString(string(one)) // keyOf made it
	*k = append(*k, raw...)
}

func (k keys) each(f func(key)) {
	for part := range slices.Chunk(k, keySize) {
		f(key(hex.EncodeToString(part)))
	}
}

// scanner finds the new and quiet conversations in logs.
type scanner struct {
	*state
	read   format.Options
	sample Share
	settle time.Duration
	now    time.Time
	// skip says that everything that exists counts as taken.
	skip bool
	// take receives a conversation with its new calls; it returns false if that must wait for
	// another day.
	take func(*transcript.Conversation) (bool, error)
	note func(string)

	// taken holds the keys of the calls that were seen before, also of conversations that wait.
	taken map[key]bool
	since map[key]waiting
	// late counts the quiet conversations that take refused.
	late int
}

// keepMoved says how long the keys of a missing file are kept: it may come back under another name.
const keepMoved = 14 * 24 * time.Hour

// scan reads the logs that changed.
func (s *scanner) scan(ctx context.Context, logs []input.Log) error {
	s.taken, s.since = map[key]bool{}, map[key]waiting{}
	reading := fmt.Sprint(s.sample, s.read.Format, s.read.TextCalls, s.read.Map != nil)
	for _, f := range s.Files {
		f.Busy = f.Busy || reading != s.Reading
		f.Taken.each(func(k key) { s.taken[k] = true })
	}
	for until, list := range s.Moved {
		list.each(func(k key) { s.taken[k] = true })
		if until < s.now.Format(time.DateOnly) {
			delete(s.Moved, until)
		}
	}
	s.Reading = reading
	present := map[string]bool{}
	for i := range logs {
		present[logs[i].Name] = true
		if err := s.file(ctx, &logs[i]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		if !present[name] {
			s.move(s.Files[name].Taken)
			delete(s.Files, name)
		}
	}
	s.Waiting = s.since
	return ctx.Err()
}

// move keeps keys that no file holds any more for a while.
func (s *scanner) move(list keys) {
	if len(list) > 0 {
		until := s.now.Add(keepMoved).Format(time.DateOnly)
		s.Moved[until] = append(s.Moved[until], list...)
	}
}

// file reads a log if it changed, or if something in it waits.
func (s *scanner) file(ctx context.Context, l *input.Log) error {
	info, err := os.Stat(l.Path)
	if err != nil {
		return nil // it disappeared after the folder was listed
	}
	old := s.Files[l.Name]
	if old != nil && !old.Busy && old.Size == info.Size() && old.Modified.Equal(info.ModTime()) {
		return nil
	}
	r := &fileScan{scanner: s, modified: info.ModTime(), seen: map[string]bool{}, times: map[key]int{},
		held: map[key]bool{}}
	now := &file{Size: info.Size(), Modified: info.ModTime()}
	reading := &input.Reading{}
	source := &input.Source{Logs: []input.Log{*l}, Options: s.read}
	var problem string
	for c, err := range source.Conversations(ctx, reading) {
		if err == nil {
			err = r.conversation(c)
			if err != nil {
				return err
			}
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		problem = err.Error()
	}
	now.Taken, now.Busy, now.Problem = r.list, r.busy, problem
	if len(reading.Problems) > 0 && problem == "" {
		now.Problem = words.Counted(reading.Unreadable, "record") + " could not be read, the first: " + reading.Problems[0]
	}
	if now.Problem != "" && !s.quiet(info.ModTime(), s.now) { // for instance a line that is being written
		now.Problem, now.Busy = "", true
	}
	if old != nil {
		s.move(old.Taken.without(r.held))
	}
	if now.Problem != "" && (old == nil || old.Problem != now.Problem) {
		s.note(now.Problem)
	}
	s.Files[l.Name] = now
	return nil
}

// without returns the keys that are not in a set.
func (k keys) without(set map[key]bool) (out keys) {
	k.each(func(one key) {
		if !set[one] {
			out.add(one)
		}
	})
	return out
}

// quiet reports whether nothing changed for as long as a conversation needs to settle. changed is when the file
// last changed; since is when we first saw this content. Either may be wrong, because clocks are adjusted.
func (s *scanner) quiet(changed, since time.Time) bool {
	if changed.Before(since) {
		since = changed
	}
	return s.now.Sub(since) >= s.settle
}

// fileScan reads one log.
type fileScan struct {
	*scanner
	modified time.Time
	// seen holds the ids in the file, times counts how often each call without an id occurred.
	seen  map[string]bool
	times map[key]int
	list  keys
	held  map[key]bool
	busy  bool
}

// conversation takes the new calls of a conversation if it is in the sample and quiet.
func (r *fileScan) conversation(c *transcript.Conversation) error {
	bare := *c
	bare.Tools = nil // they may come late, or from a file that changes
	content, calls := bare.Hashes()
	if len(calls) == 0 {
		calls = []string{content}
	}
	id := r.id(c)
	var all, fresh []key
	for i, hash := range calls {
		if i < len(c.Calls) {
			hash = identity(&c.Calls[i], hash)
		}
		k := r.call(id, hash)
		if all = append(all, k); !r.taken[k] {
			fresh = append(fresh, k)
			continue
		}
		r.hold(k)
		if i < len(c.Calls) {
			c.Calls[i].Context = true // it was judged before
		}
	}
	if len(fresh) == 0 || !r.sample.Holds(cmp.Or(id, calls[0])) {
		return nil
	}
	if name := keyOf("waiting", id, string(all[0])); !r.skip {
		if !r.isQuiet(name, keyOf(content)) {
			r.busy = true
			return nil
		}
		if ok, err := r.take(c); err != nil || !ok {
			r.busy = true
			r.late++
			return err
		}
		delete(r.since, name)
	}
	for _, k := range fresh {
		r.taken[k] = true
		r.hold(k)
	}
	return nil
}

// id returns the id that the log gives a conversation, without the number that the reader adds to
// repeated ids; "" if none.
func (r *fileScan) id(c *transcript.Conversation) string {
	if c.Unnamed {
		return ""
	}
	r.seen[c.ID] = true
	if at := strings.LastIndexByte(c.ID, '#'); at > 0 && r.seen[c.ID[:at]] {
		return c.ID[:at]
	}
	return c.ID
}

// namingID is the length from which a call's id is assumed to be unique, unlike k1 or call_2.
const namingID = 8

// identity returns what distinguishes a call from others of its conversation: its own id if that is
// unique, because history may come late or be shortened, else the hash of everything up to the
// call.
func identity(c *transcript.Call, hash string) string {
	if len(c.ID) < namingID {
		return hash
	}
	return strings.Join([]string{"named", c.ID, c.Name, c.RawArguments}, "\x00")
}

// call returns the key of a call. In conversations without an id, equal calls are distinguished by
// how often they occurred in the file.
func (r *fileScan) call(id, hash string) key {
	k := keyOf("call", id, hash)
	if id == "" {
		r.times[k]++
		k = keyOf("call", id, hash, strconv.Itoa(r.times[k]))
	}
	return k
}

// hold records that the file contains a taken call.
func (r *fileScan) hold(k key) {
	if !r.held[k] {
		r.held[k] = true
		r.list.add(k)
	}
}

// isQuiet reports whether a conversation is quiet; if not, it waits.
func (r *fileScan) isQuiet(name, content key) bool {
	w, known := r.Waiting[name]
	if !known || w.Content != content || w.Since.After(r.now) {
		w = waiting{content, r.now}
	}
	r.since[name] = w
	return r.quiet(r.modified, w.Since)
}
