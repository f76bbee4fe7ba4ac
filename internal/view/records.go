package view

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"runtime"
	"strings"
	"sync"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
)

// records are the conversations of a run's logs, each to be had at once whatever the
// format: they are kept in temporary files without a name, in the native format and as
// text to search. Memory holds where each begins.
type records struct {
	options transcript.Options

	mu           sync.Mutex
	native, text *spool
	list         []record
	at           map[string]int // in list, by the id
	readable     int            // so many of the list can be read
	done         bool
	problem      string
	more         chan struct{} // is closed when there are more
}

// record is where a conversation is in the native file and in that of texts.
type record struct {
	id, place    string
	native, text span
}

func newRecords(options transcript.Options) *records {
	return &records{options: options, at: map[string]int{}, more: make(chan struct{})}
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

// open makes the files.
func (r *records) open() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.native, err = newSpool(); err == nil {
		r.text, err = newSpool()
	}
	return err
}

// stored is a conversation as it is kept.
type stored struct {
	id, place    string
	native, text []byte
}

// fill reads the logs to their end, or until ctx is done.
func (r *records) fill(ctx context.Context, m *directory.Manifest, logs *input.Source) {
	err := r.open()
	if err == nil {
		err = r.readAll(input.InOrder(ctx, m.Again(ctx, logs), runtime.GOMAXPROCS(0), store))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = true
	if err = cmp.Or(err, r.publish()); err != nil {
		r.problem = err.Error()
	}
}

func (r *records) readAll(all iter.Seq2[stored, error]) error {
	for s, err := range all {
		if err == nil {
			err = r.add(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func store(c *transcript.Conversation) stored {
	var native bytes.Buffer
	_ = transcript.WriteNative(&native, c) // a buffer takes everything
	return stored{c.ID, c.Source.String(), native.Bytes(), []byte(strings.ToLower(textOf(c)))}
}

// textOf is what people look for in a conversation: its messages and calls.
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

// published is how many conversations are made readable at once.
const published = 256

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
	if len(r.list)%published == 0 {
		return r.publish()
	}
	return nil
}

// publish makes what was added readable and wakes those who wait for it.
func (r *records) publish() error {
	for _, s := range []*spool{r.native, r.text} {
		if s == nil {
			continue
		}
		if err := s.flush(); err != nil {
			return err
		}
	}
	r.readable = len(r.list)
	close(r.more)
	r.more = make(chan struct{})
	return nil
}

// conversation waits until a conversation is there or is known not to be. The problem says
// why it is not.
func (r *records) conversation(ctx context.Context, id string) (c *transcript.Conversation, place, problem string) {
	for {
		r.mu.Lock()
		at, ok := r.at[id]
		var of record
		if ok = ok && at < r.readable; ok {
			of = r.list[at]
		}
		done, why, more := r.done, r.problem, r.more
		r.mu.Unlock()
		switch {
		case ok:
			c, problem = r.parse(ctx, of.native)
			return c, of.place, problem
		case done && why == "":
			return nil, "", "The logs hold no such conversation any more."
		case done:
			return nil, "", why
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, "", "The logs are still being read."
		}
	}
}

func (r *records) parse(ctx context.Context, at span) (*transcript.Conversation, string) {
	data, err := r.native.read(at)
	if err != nil {
		return nil, err.Error()
	}
	options := r.options
	options.Format, options.Parallel = "native", 0
	in := transcript.Open(ctx, "log", bytes.NewReader(data), options)
	defer in.Close()
	c, err := in.Next()
	if err != nil {
		return nil, err.Error()
	}
	return c, ""
}

// search calls found for every conversation whose text holds a text in lower case.
func (r *records) search(ctx context.Context, text string, found func(id string)) error {
	r.mu.Lock()
	list := r.list[:r.readable]
	r.mu.Unlock()
	return r.text.scan(ctx, len(list), func(i int) span { return list[i].text }, text,
		func(i int) { found(list[i].id) })
}

func (r *records) isDone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}
