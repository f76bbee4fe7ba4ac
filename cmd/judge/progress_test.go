package main

import (
	"strings"
	"testing"
	"time"
)

func TestProgressLines(t *testing.T) {
	var b strings.Builder
	p := newProgress(&b, false, 10)
	at := p.start
	p.now = func() time.Time { return at }
	p.judged(true, false, false)
	if b.Len() != 0 {
		t.Fatalf("a line before 30 s: %q", b.String())
	}
	at = at.Add(30 * time.Second)
	p.judged(false, false, true)
	want := "judged 2/10 (0/s, 4m left): 1 ok, 0 repaired, 1 unscored, 1 from the journal\n"
	if b.String() != want {
		t.Errorf("got %q\nwant %q", b.String(), want)
	}
}

// TestProgressOfLargeLog: a total that is estimated says so, and leaves when it was too low.
func TestProgressOfLargeLog(t *testing.T) {
	p := newProgress(&strings.Builder{}, false, 1)
	p.about = true
	for _, want := range []string{"judged 1 of about 1 (", "judged 2 ("} {
		p.judged(true, false, false)
		if got := p.line(p.start.Add(time.Second)); !strings.HasPrefix(got, want) {
			t.Errorf("got %q, want %q…", got, want)
		}
	}
}

// TestProgressOfResume: what the journal holds says nothing about the time that is left.
func TestProgressOfResume(t *testing.T) {
	p := newProgress(&strings.Builder{}, false, 1000)
	at := p.start
	p.now = func() time.Time { return at }
	for range 600 {
		at = at.Add(10 * time.Millisecond)
		p.judged(true, false, true)
	}
	if got, want := p.line(at), "judged 600/1000: 600 ok, 0 repaired, 0 unscored, 600 from the journal"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for range 40 {
		at = at.Add(125 * time.Millisecond)
		p.judged(true, false, false)
	}
	if got, want := p.line(at), "judged 640/1000 (8/s, 45s left): 640 ok, 0 repaired, 0 unscored, 600 from the journal"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestProgressRedraws(t *testing.T) {
	var b strings.Builder
	p := newProgress(&b, true, 0)
	at := p.start
	p.now = func() time.Time { return at }
	at = at.Add(time.Second)
	p.judged(true, true, false)
	p.finish()
	if got := b.String(); !strings.HasPrefix(got, "\rjudged 1 (1/s): 0 ok, 1 repaired") || !strings.HasSuffix(got, "\r") {
		t.Errorf("got %q", got)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{4 * time.Second: "4s", 90 * time.Second: "2m", 200 * time.Minute: "3h20m"} {
		if got := short(d); got != want {
			t.Errorf("short(%v) = %s, want %s", d, got, want)
		}
	}
}
