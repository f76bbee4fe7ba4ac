package format

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

// part is a piece of a conversation that is spread over a log: a span, a row.
type part struct {
	// trace is common to the pieces of one conversation.
	trace string
	// conversation may be common to several traces; "" if the piece does not say. Such a piece
	// belongs to the conversation of the nearest piece above it, or of its trace.
	conversation string
	// id and parent say which pieces are below which; they may be "".
	id, parent string
	// text is the piece as JSON.
	text string
	// alone says that the piece is a whole conversation.
	alone bool
	// about is common to conversations that may be the same; "" if their names decide. says holds
	// what a piece says first, repeats what it says again.
	about         string
	says, repeats []string
}

// The limits of the file with a log's pieces, and of their number.
const (
	spoolFile = 64 << 30
	maxPieces = 50_000_000
)

// piece is the position of a part in the spool; traces and conversations are numbers.
type piece struct {
	at                  int64
	n                   int32
	trace, conversation int32
	id, parent          uint64
}

// grouper groups the records of a log by conversation.
type grouper struct {
	format *format
	limit  int
	// in returns the next record of the log.
	in    func() (container.Record, error)
	spool container.Spool
	// names numbers traces and conversations from 1.
	names map[string]int32
	// said holds, by the hash of a text, the conversation in which it was said first.
	said   map[uint64]int32
	pieces []piece
	// ready holds conversations that need no other piece; groups holds the pieces of the others,
	// after all were read.
	ready  []container.Record
	groups [][]int32
	sorted bool
	made   int
	err    error
}

func (g *grouper) number(name string) int32 {
	n, ok := g.names[name]
	if !ok {
		n = int32(len(g.names) + 1)
		g.names[strings.Clone(name)] = n
	}
	return n
}

// add stores one piece.
func (g *grouper) add(p part) {
	switch {
	case g.err != nil:
		return
	case len(g.pieces) >= maxPieces:
		g.err = tooMuch("%d pieces", maxPieces)
		return
	case p.alone:
		g.ready = append(g.ready, container.Record{Text: "[" + p.text + "]"})
		return
	case g.spool.Size+int64(len(p.text)) > spoolFile:
		g.err = tooMuch("%d GiB", spoolFile>>30)
		return
	}
	at := g.spool.Size
	if _, err := io.WriteString(&g.spool, p.text); err != nil {
		g.err = fmt.Errorf("sort by conversation: %w", err)
		return
	}
	kept := piece{at: at, n: int32(len(p.text)), trace: g.number("t" + p.trace),
		id: hashID(p.trace + "/" + p.id), parent: hashID(p.trace + "/" + p.parent)}
	if p.conversation != "" {
		kept.conversation = g.numberOf(&p)
	}
	g.pieces = append(g.pieces, kept)
}

// numberOf returns the number of a piece's conversation. A piece that repeats a text belongs to the
// conversation in which it was said first: under its own name, or else under another name about the
// same. A piece that begins like an earlier conversation but says something else begins a new one.
func (g *grouper) numberOf(p *part) int32 {
	name := "c" + p.conversation
	if p.about == "" {
		return g.number(name)
	}
	last, known := g.names[name]
	n := cmp.Or(g.said[hashID("id "+p.parent)], g.saidBefore(name, p.repeats))
	switch {
	case n != 0:
	case !known:
		n = g.saidBefore(p.about, p.repeats)
	case len(p.repeats) == 0 && len(p.says) > 0 && g.said[hashID(name)] == last && g.saidBefore(name, p.says) == 0:
		n = g.number(fmt.Sprintf("%s\x00%d", name, len(g.pieces)))
	default:
		n = last
	}
	if n == 0 {
		n = g.number(name)
	}
	g.names[name] = n
	if len(p.says) > 0 {
		g.said[hashID(name)] = n
	}
	if p.id != "" {
		g.said[hashID("id "+p.id)] = n
	}
	for _, said := range p.says {
		g.said[hashID(name+said)], g.said[hashID(p.about+said)] = n, n
	}
	return n
}

// saidBefore returns the conversation in which one of the texts was said first; 0 if none.
func (g *grouper) saidBefore(among string, words []string) int32 {
	for _, said := range words {
		if n := g.said[hashID(among+said)]; n != 0 {
			return n
		}
	}
	return 0
}

// tooMuch returns the error for a log that is too large to be grouped.
func tooMuch(most string, n int) error {
	return &container.Broken{
		Message: fmt.Sprintf("the log holds more than "+most+" to be sorted by conversation: divide it", n)}
}

// next returns the next conversation: first the unreadable records, then one record per
// conversation, in the order of their first pieces.
func (g *grouper) next() (it container.Record, err error) {
	for !g.sorted && len(g.ready) == 0 {
		if problem, err := g.take(); err != nil || problem.Problem != "" {
			return problem, err
		}
	}
	switch {
	case len(g.ready) > 0:
		it, g.ready = g.ready[0], g.ready[1:]
	case len(g.groups) > 0:
		it, err = g.record(g.groups[0])
		g.groups = g.groups[1:]
	default:
		return container.Record{}, io.EOF
	}
	it.Index = g.made
	g.made++
	return it, err
}

// take reads one record and stores its pieces, or returns it with its problem. At the end of the log it groups.
func (g *grouper) take() (container.Record, error) {
	it, err := g.in()
	if err == nil && it.Problem == "" {
		v, broken := value.ParseString(it.Text)
		if broken != nil {
			it.Problem = broken.Error() + ": the record was passed over"
			return it, nil
		}
		g.format.parts(v, g.add)
		err = g.err
	}
	var broken *container.Broken
	if errors.As(err, &broken) {
		it.Problem, err = broken.Message, io.EOF
	}
	if errors.Is(err, io.EOF) {
		g.sort()
		err = nil
	}
	return it, err
}

// sort groups the pieces by conversation.
func (g *grouper) sort() {
	g.sorted = true
	place := map[int32]int{}
	for i, owner := range g.owners() {
		k, known := place[owner]
		if !known {
			k = len(g.groups)
			place[owner] = k
			g.groups = append(g.groups, nil)
		}
		g.groups[k] = append(g.groups[k], int32(i))
	}
}

// maxAbove limits how far up to search for a piece that names its conversation.
const maxAbove = 256

// owners returns, for each piece, the number by which it is grouped: of its conversation or its trace.
func (g *grouper) owners() []int32 {
	of := map[int32]int32{}      // the first conversation of a trace
	several := map[int32]bool{}  // traces with several conversations
	above := map[uint64]*piece{} // pieces of such traces by id
	for i := range g.pieces {
		p := &g.pieces[i]
		if p.conversation == 0 {
			continue
		}
		if of[p.trace] == 0 {
			of[p.trace] = p.conversation
		}
		several[p.trace] = several[p.trace] || of[p.trace] != p.conversation
	}
	for i := range g.pieces {
		if p := &g.pieces[i]; several[p.trace] {
			above[p.id] = p
		}
	}
	owner := make([]int32, len(g.pieces))
	for i := range g.pieces {
		p := &g.pieces[i]
		owner[i] = p.conversation
		for q, n := above[p.parent], 0; owner[i] == 0 && q != nil && n < maxAbove; q, n = above[q.parent], n+1 {
			owner[i] = q.conversation
		}
		if owner[i] == 0 {
			owner[i] = of[p.trace]
		}
		if owner[i] == 0 {
			owner[i] = p.trace
		}
	}
	return owner
}

// record joins the pieces of one conversation to a list.
func (g *grouper) record(pieces []int32) (container.Record, error) {
	size := 2
	for _, i := range pieces {
		size += int(g.pieces[i].n) + 1
	}
	if size > g.limit {
		return container.Record{Problem: fmt.Sprintf("a conversation of %d bytes in %d pieces is longer than the limit "+
			"of %d bytes and was passed over: raise the limit to read it", size, len(pieces), g.limit)}, nil
	}
	text := append(make([]byte, 0, size), '[')
	for k, i := range pieces {
		if k > 0 {
			text = append(text, ',')
		}
		start, p := len(text), &g.pieces[i]
		text = text[:start+int(p.n)]
		if _, err := g.spool.ReadAt(text[start:], p.at); err != nil {
			return container.Record{}, fmt.Errorf("sort by conversation: %w", err)
		}
	}
	return container.Record{Text: string(append(text, ']'))}, nil
}
