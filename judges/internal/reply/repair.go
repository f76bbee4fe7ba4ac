package reply

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/rubrics"
)

// maxRepairText bounds how much of a bad answer goes back in a repair request, in
// characters.
const maxRepairText = 4000

// Repair returns the request that asks for a corrected answer: the original
// messages, the bad text without its thinking, and what is wrong with it. nth counts
// the repairs of a sample from 1: no two of them are the same, whatever came back.
func Repair(original []llm.Message, bad Reading, nth int) []llm.Message {
	text := bad.Text
	if runes := []rune(text); len(runes) > maxRepairText {
		text = string(runes[:maxRepairText])
	}
	if text == "" {
		text = "(empty)" // some chat templates refuse a turn without text
	}
	ask := "Your previous answer was not accepted: " + describe(bad.Violations) +
		". Return the corrected JSON object only. Do not change your assessment."
	if len(bad.Violations) == 0 {
		ask = "Your previous answer was not accepted: " + bad.Detail +
			". Return the JSON object only. Do not change your assessment."
	}
	if nth > 1 {
		ask += fmt.Sprintf(" This is request %d for a correction.", nth)
	}
	turns := []llm.Message{{Role: "assistant", Content: text}, {Role: "user", Content: ask}}
	return append(slices.Clone(original), turns...)
}

// describe joins the first three violations.
func describe(list []rubrics.Violation) string {
	var parts []string
	for _, v := range list[:min(len(list), 3)] {
		parts = append(parts, v.String())
	}
	return strings.Join(parts, "; ")
}

// Failure names the kind of a failed request.
func Failure(err error) (kind, detail string, fatal bool) {
	var e *llm.Error
	if !errors.As(err, &e) {
		return KindTransport, err.Error(), false
	}
	switch e.Kind {
	case llm.KindDeferred:
		kind = KindDeferred
	case llm.KindRefused:
		kind = KindRefused
	case llm.KindOverflow:
		kind = KindContext
	case llm.KindInvalidReply, llm.KindTooLarge:
		kind = KindInvalidReply
	case llm.KindBadRequest:
		kind = KindBadRequest
	case llm.KindUnauthorized, llm.KindPayment, llm.KindNotFound:
		kind = KindRefusedByEndpoint
	default:
		kind = KindTransport
	}
	return kind, e.Error(), e.Fatal
}
