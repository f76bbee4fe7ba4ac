package result

import (
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
)

// Count is what a server counted for one prompt, beside what the prompt is.
type Count struct {
	Tokens int
	// ASCII and Foreign are the prompt's bytes.
	ASCII, Foreign int
	// Script tells writing systems apart, which tokenizers treat differently: that of most
	// letters beyond ASCII, 0 where such letters are less than a twentieth of the bytes.
	Script int
}

// Bytes is the length of the prompt.
func (c *Count) Bytes() int { return c.ASCII + c.Foreign }

// CountText measures a prompt for which a server counted so many tokens.
func CountText(tokens int, texts func(yield func(string) bool)) Count {
	c := Count{Tokens: tokens}
	of := map[int]int{}
	for text := range texts {
		for i := 0; i < len(text); {
			if text[i] < utf8.RuneSelf {
				c.ASCII++
				i++
				continue
			}
			r, n := utf8.DecodeRuneInString(text[i:])
			of[script(r)] += n
			c.Foreign += n
			i += n
		}
	}
	if 20*c.Foreign < c.Bytes() {
		return c
	}
	for s, n := range of {
		if most := of[c.Script]; n > most || n == most && s < c.Script {
			c.Script = s
		}
	}
	return c
}

// script numbers the writing system of a letter, roughly: by its Unicode block, with
// the Latin ones and those of East Asia as one each.
func script(r rune) int {
	switch {
	case r < 0x370:
		return 1
	case r < 0x2e80:
		return 0x100 + int(r>>7)
	case r < 0xa000:
		return 2
	case r < 0x10000:
		return 0x200 + int(r>>12)
	}
	return 3
}

// Shortened says what a judge did not see because it had no room. The zero value says
// that it saw everything.
type Shortened struct {
	// Tools: tools that were not called so far are shown by their signature.
	Tools bool
	// Results is how many tool results are cut in the middle, Examples how many few-shot
	// examples are left out.
	Results, Examples int
	// Messages: messages of the history are left out.
	Messages bool
}

func (s Shortened) value() value.Value {
	return value.OfObject(
		value.Member{Key: "tools", Value: value.OfBool(s.Tools)},
		value.Member{Key: "results_cut", Value: value.OfInt(int64(s.Results))},
		value.Member{Key: "examples_left_out", Value: value.OfInt(int64(s.Examples))},
		value.Member{Key: "messages", Value: value.OfBool(s.Messages)},
	)
}
