package reply

import (
	"fmt"

	"github.com/judgekit/judge/internal/llm"
)

// windows are the context sizes that servers are run with.
var windows = [...]int{2048, 4096, 8192, 16384, 32768, 65536, 131072}

// nearWindow is how far a count of a cut prompt may lie from the window.
const nearWindow = 8

// WindowMet returns the context size that an answer's count of tokens comes to, 0
// for none. Once that is chance; for prompts of different length it says that the
// server cuts them, which only the whole run can tell.
func WindowMet(resp *llm.Response) int {
	if resp.Usage.Prompt == nil {
		return 0
	}
	tokens := *resp.Usage.Prompt
	for _, w := range windows {
		if tokens >= w-nearWindow && tokens <= w+nearWindow || resp.Usage.Completion != nil && tokens+*resp.Usage.Completion == w {
			return w
		}
	}
	return 0
}

// ContextAlarm says why a server seems to have cut the prompt without an error: far
// fewer tokens than the prompt's bytes can be, or exactly a window's size.
func ContextAlarm(resp *llm.Response, promptBytes int) string {
	if resp.Usage.Prompt == nil || *resp.Usage.Prompt == 0 {
		return ""
	}
	tokens := *resp.Usage.Prompt
	if tokens < promptBytes/8 {
		return fmt.Sprintf("the server counted %d prompt tokens for %d bytes: it cut the prompt; raise its context size", tokens, promptBytes)
	}
	for _, window := range windows {
		full := resp.Usage.Completion != nil && tokens+*resp.Usage.Completion == window
		// By chance this happens to one prompt in some thousands: better void than
		// graded on half a record.
		if tokens == window || full && resp.FinishReason != "stop" {
			return fmt.Sprintf("the prompt fills a window of exactly %d tokens: the server may have cut it; raise its context size", window)
		}
	}
	return ""
}
