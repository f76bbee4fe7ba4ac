package view

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
)

// records stores the conversations of a run's logs, so that each can be read quickly, whatever the
// format. Two unnamed temporary files hold them in the native format and as searchable text; memory
// holds only their positions.
type records struct {
	options format.Options

	mu           sync.Mutex
	native, text *spool
	list         []record
	at           map[string]int // index into list by id
	done         bool
	problem      string
}

// record is the position of a conversation in both files.
type record struct {
	id, place    string
	native, text span
}

func newRecords(options format.Options) *records {
	return &records{options: options, at: map[string]int{}}
}

func (r *records) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range []*spool{r.native, r.text} {
		if s != nil {
			s.close()
		}
	}
}

// more prepares to read the logs again after they grew. It returns false while they are being read,
// or if nobody has asked for them.
func (r *records) more() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	more := r.done
	r.done, r.problem = false, ""
	return more
}

// open creates the files, if they do not exist yet.
func (r *records) open() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.native != nil {
		return nil
	}
	if r.native, err = newSpool(); err == nil {
		r.text, err = newSpool()
	}
	return err
}

// stored is a conversation in the form of the files.
type stored struct {
	id, place    string
	native, text []byte
}

// fill reads the logs to their end, or until ctx is done. It skips known conversations.
func (r *records) fill(ctx context.Context, m *directory.Manifest, logs *input.Source) {
	err := r.open()
	known := len(r.list)
	for s, bad := range input.InOrder(ctx, m.Again(ctx, logs), runtime.GOMAXPROCS(0), store) {
		if err = cmp.Or(err, bad); err == nil && known == 0 {
			err = r.add(s)
		}
		known = max(0, known-1)
		if err != nil {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done = true; err != nil {
		r.problem = err.Error()
	}
}

func store(c *transcript.Conversation) stored {
	var native bytes.Buffer
	_ = transcript.WriteNative(&native, c) // a buffer never fails
	return stored{c.ID, c.Source.String(), native.Bytes(), []byte(strings.ToLower(textOf(c)))}
}

// textOf returns the searchable text of a conversation: its messages and calls.
func textOf(c *transcript.Conversation) string {
	var b strings.Builder
	for i := range c.Messages {
		b.WriteString(c.Messages[i].Content)
		b.WriteByte('\n')
	}
	for i := range c.Calls {
		b.WriteString(c.Calls[i].Name)
		b.WriteByte(' ')
		b.WriteString(c.Calls[i].RawArguments)
		b.WriteByte('\n')
	}
	return b.String()
}

func (r *records) add(s stored) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	native, err := r.native.add(s.native)
	if err != nil {
		return err
	}
	text, err := r.text.add(s.text)
	if err != nil {
		return err
	}
	if _, twice := r.at[s.id]; !twice {
		r.at[s.id] = len(r.list)
	}
	r.list = append(r.list, record{s.id, s.place, native, text})
	return nil
}

// conversation waits until the conversation has been read or is known to be missing; problem says
// why it is missing.
func (r *records) conversation(ctx context.Context, id string) (c *transcript.Conversation, place, problem string) {
	for {
		of, why := r.find(id)
		switch {
		case why != "":
			return nil, "", why
		case of != nil:
			c, problem = r.parse(ctx, of.native)
			return c, of.place, problem
		}
		if !rest(ctx) {
			return nil, "", "The logs are still being read."
		}
	}
}

// find returns the position of a conversation. It returns nil and no problem if the conversation
// may still come.
func (r *records) find(id string) (of *record, problem string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.at[id]; ok {
		if err := r.native.flush(); err != nil {
			return nil, err.Error()
		}
		return &r.list[at], ""
	}
	if r.done {
		return nil, cmp.Or(r.problem, "The logs hold no such conversation any more.")
	}
	return nil, ""
}

// rest pauses between two looks; it returns false once ctx is done.
func rest(ctx context.Context) bool {
	select {
	case <-time.After(20 * time.Millisecond):
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *records) parse(ctx context.Context, at span) (*transcript.Conversation, string) {
	data, err := r.native.read(at)
	if err != nil {
		return nil, err.Error()
	}
	options := r.options
	options.Format, options.Parallel = "native", 0
	in := format.Open(ctx, "log", bytes.NewReader(data), options)
	defer in.Close()
	c, err := in.Next()
	if err != nil {
		return nil, err.Error()
	}
	return c, ""
}

// search calls found with every conversation whose text contains text, which is in lower case.
func (r *records) search(ctx context.Context, text string, found func(id string)) error {
	list, err := r.readable()
	if err != nil {
		return err
	}
	return r.text.scan(ctx, len(list), func(i int) span { return list[i].text }, text,
		func(i int) { found(list[i].id) })
}

// readable returns the records that can be searched.
func (r *records) readable() ([]record, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.text == nil {
		return nil, nil
	}
	return r.list, r.text.flush()
}

func (r *records) isDone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}
