package window

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/judgekit/judge/internal/llm"
)

// Asker sends a prompt and returns the server's token count, 0 if the server does not count. It is
// called concurrently.
type Asker func(ctx context.Context, prompt string) (tokens int, err error)

// Found is the result of Measure.
type Found struct {
	// Longest is the length of the longest prompt, in tokens; 0 if it was not sent.
	Longest int
	// Cut and Refused say what the server did with a prompt that was too long. Window is then the
	// size, in tokens, at which it was cut, or that the refusal names; 0 if unknown.
	Cut, Refused bool
	Window       int
}

const (
	// shortSize and middleSize are the lengths of the two short prompts, in bytes.
	shortSize, middleSize = 1024, 4096
	// beyondNeed is the length of the long prompt as a multiple of the needed tokens: a window that
	// the prompt just exceeds still has room for these. inFull is the share of the expected tokens
	// that shows that a prompt was counted in full.
	beyondNeed, inFull = 1.1, 0.97
	// minPerByte and maxPerByte limit the plausible tokens per byte: a value outside shows that the
	// server counts something other than the prompt.
	minPerByte, maxPerByte = 1.0 / 12, 2.0
)

// Measure finds out whether a server has room for this many tokens, if it counts prompts. Two short
// prompts, sent at once, show how it counts; a long one must be counted accordingly. It fails if a
// request fails for a reason other than its length.
func Measure(ctx context.Context, ask Asker, tokens int) (f Found, _ error) {
	var middle int
	var middleErr error
	var asking sync.WaitGroup
	asking.Go(func() { middle, middleErr = ask(ctx, ballast(middleSize)) })
	short, err := ask(ctx, ballast(shortSize))
	asking.Wait()
	if err = cmp.Or(err, middleErr); err != nil || short == 0 {
		return f.refused(err)
	}
	perByte := float64(middle-short) / (middleSize - shortSize)
	if perByte < minPerByte || perByte > maxPerByte {
		return f, nil
	}
	whole := func(tokens float64) (n int, whole bool, err error) {
		size := shortSize + int((tokens-float64(short))/perByte)
		n, err = ask(ctx, ballast(max(size, shortSize)))
		return n, float64(n) >= inFull*tokens, err
	}
	f.Longest = int(beyondNeed * float64(tokens))
	n, full, err := whole(float64(f.Longest))
	if err != nil || full || n == 0 {
		return f.refused(err)
	}
	f.Cut, f.Window = true, n
	// Some servers cut to half their window.
	if most, full, err := whole(1.9 * float64(n)); err == nil && full {
		f.Window = most
	}
	return f, nil
}

// refused records a refusal for length, with the window that it names. It returns every other
// error.
func (f Found) refused(err error) (Found, error) {
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindOverflow {
		return f, err
	}
	f.Refused, f.Window = true, llm.WindowOf(err)
	return f, nil
}

// ballast returns a text of this many bytes. No part of it repeats another, nor the beginning of a
// text of another size, because some servers do not count what they have in a cache.
func ballast(size int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Of %d bytes here all but this line are there to take up room. Say yes.\n", size)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "Line %05d holds the number %05d.\n", i, (i*7919+12345)%99991)
	}
	return b.String()[:size]
}
