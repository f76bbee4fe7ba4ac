package format

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// groupedFormat returns a format of lines {t, c, i, p, text}: trace, conversation, id, parent.
func groupedFormat() *format {
	return &format{name: "grouped", parts: func(v value.Value, add func(part)) {
		add(part{trace: v.Field("t").Text(), conversation: v.Field("c").Text(), id: v.Field("i").Text(),
			parent: v.Field("p").Text(), text: v.JSON()})
	}, read: func(d *draft, v value.Value) error {
		for i, e := range v.Elements() {
			d.message(transcript.Message{Role: transcript.User, Content: e.Field("text").Text()}, place("", i))
		}
		return nil
	}}
}

func group(t *testing.T, limit int, log string) []string {
	t.Helper()
	r := Open(context.Background(), "x.jsonl", strings.NewReader(log), Options{MaxConversationBytes: limit, Format: native.name})
	if err := r.start(); err != nil {
		t.Fatal(err)
	}
	r.format, r.lines = groupedFormat(), false
	g := &grouper{format: r.format, limit: r.opts.MaxConversationBytes, in: r.records.Next, names: map[string]int32{}}
	r.next, r.spool = g.next, &g.spool
	var out []string
	for c, err := range r.All() {
		var p *transcript.Problem
		switch {
		case errors.As(err, &p):
			out = append(out, "problem: "+p.Message)
		case err != nil:
			t.Fatal(err)
		default:
			var texts []string
			for _, m := range c.Messages {
				texts = append(texts, m.Content)
			}
			out = append(out, strings.Join(texts, " "))
		}
	}
	return out
}

func TestPiecesAreSortedByConversation(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		want []string
	}{
		"by trace":        {`{"t":"1","text":"a"}` + "\n" + `{"t":"2","text":"b"}` + "\n" + `{"t":"1","text":"c"}`, []string{"a c", "b"}},
		"by conversation": {`{"t":"1","text":"a"}` + "\n" + `{"t":"1","c":"k","text":"b"}` + "\n" + `{"t":"2","c":"k","text":"c"}`, []string{"a b c"}},
		"two in a trace": {`{"t":"1","i":"0","text":"root"}` + "\n" + `{"t":"1","i":"1","p":"0","c":"k","text":"b"}` + "\n" + `{"t":"1","i":"2","p":"0","c":"l","text":"c"}` + "\n" +
			`{"t":"1","i":"3","p":"2","text":"under c"}`, []string{"root b", "c under c"}},
		"a broken line": {`{"t":"1","text":"a"}` + "\nbroken\n" + `{"t":"1","text":"c"}`, []string{"problem: json: unexpected character at byte 0: the record was passed over", "a c"}},
		"a cut line":    {`{"t":"1","text":"a"}` + "\n" + `{"t":"1","te`, []string{"problem: json: text ends inside a string at byte 12: the record was passed over", "a"}},
	} {
		got := group(t, 0, c.log)
		for i := range got {
			if strings.HasPrefix(got[i], "problem") && strings.HasPrefix(c.want[i], "problem") {
				got[i] = c.want[i]
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestAConversationOverTheLimitIsPassedOver(t *testing.T) {
	var log strings.Builder
	for range 20 {
		fmt.Fprintf(&log, `{"t":"1","text":%q}`+"\n", strings.Repeat("x", 100))
	}
	log.WriteString(`{"t":"2","text":"b"}`)
	got := group(t, 500, log.String())
	if len(got) != 2 || !strings.Contains(got[0], "in 20 pieces is longer than the limit of 500 bytes") || got[1] != "b" {
		t.Errorf("%q", got)
	}
}
