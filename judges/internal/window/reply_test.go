package window

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm"
)

// A count shows a cut only if no honest server could have counted so few tokens, or if it
// fills the window.
func TestCountsThatShowACut(t *testing.T) {
	for _, tc := range []struct {
		bytes, window, counted int
		cut                    bool
	}{
		{13_000, 0, 3600, false},
		{13_000, 0, 2200, false}, // English prose with few tokens
		{13_000, 0, 2048, true},
		{13_000, 0, 2041, true},
		{13_000, 0, 2000, false}, // no usual window: the server may leave out what it has cached
		{13_000, 0, 2049, false},
		{13_000, 0, 2040, true}, // an answer has no room beside so many
		{13_000, 0, 2039, false},
		{12_288, 0, 2048, false}, // six bytes for each token
		{12_289, 0, 2048, true},
		{7_000, 0, 1024, true},
		{13_000, 0, 0, false},
		{13_000, 8192, 2048, true}, // cut to less than the window
		{13_000, 0, 512, false},    // no server has so small a window
		{13_000, 0, 1, false},      // a server that counts all prompts alike
		{13_000, 4096, 4096, true},
		{13_000, 4096, 4088, true},
		{13_000, 4096, 4087, false},
		{13_000, 4096, 4097, false}, // the real window is larger
	} {
		limit := Limit{Tokens: tc.window}
		messages := []llm.Message{{Content: strings.Repeat("x", tc.bytes)}}
		if why := limit.Cut(messages, &tc.counted); (why != "") != tc.cut {
			t.Errorf("%+v: %q", tc, why)
		}
	}
}
