package reply

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/rubrics"
)

// The kinds of failure that a judgement can end with; Score carries them in its
// error. A failure is a missing value, never a low one.
const (
	KindTransport          = "transport"            // no reply, after all retries
	KindInvalidReply       = "invalid_reply"        // a body that is not a chat completion, after all retries
	KindBadRequest         = "bad_request"          // the server does not take the request
	KindRefused            = "refusal"              // the model or the service declined
	KindRefusedByEndpoint  = "refused_by_endpoint"  // the endpoint refused this item, and answers others
	KindTruncated          = "truncated"            // cut at the token limit
	KindTruncatedInThought = "truncated_in_thought" // cut before the answer began
	KindInvalidJSON        = "invalid_json"         // no JSON object in the reply
	KindSchemaViolation    = "schema_violation"     // an object that breaks the rubric's schema
	KindCanary             = "canary"               // the secret word is in the answer
	KindContextCut         = "context_cut"          // the server cut the prompt
	KindContext            = "context"              // the record does not fit the model
	KindWhitespaceLoop     = "whitespace_loop"      // blanks up to the token limit
)

// KindDeferred holds that of a judgement whose request was put into a batch. No score is
// written of it.
const KindDeferred = "deferred"

// Kinds returns them all.
func Kinds() []string {
	return []string{
		KindTransport, KindInvalidReply, KindBadRequest, KindRefused, KindRefusedByEndpoint, KindTruncated,
		KindTruncatedInThought, KindInvalidJSON, KindSchemaViolation, KindCanary, KindContextCut, KindContext,
		KindWhitespaceLoop,
	}
}

// cutShort classifies a reply that ended before its end: at the token limit, by a
// guard against loops, by a content filter.
func cutShort(in *llm.Response, text, answer string, open bool) (kind, detail string) {
	switch in.FinishReason {
	case "length":
	case "content_filter":
		return KindRefused, "a content filter ended the reply"
	case llm.FinishRepetition:
		// A server that breaks off a reply for repeating itself calls it finished. An object
		// that is all there is was finished before the loop, which is one of blanks.
		if strings.HasPrefix(answer, "{") && json.Valid([]byte(answer)) {
			return "", ""
		}
		if blanksAtEnd(text) >= guardBlanks {
			return KindWhitespaceLoop, "the server broke the reply off: it only wrote blanks"
		}
		return KindTruncated, "the server broke the reply off: it repeated itself"
	default:
		return "", ""
	}
	end := "the reply ran into its token limit"
	advice, thoughtAdvice := "; raise max_tokens", "; raise the reasoning budget"
	if limits := []string{"", "max_tokens", "model_length"}; !slices.Contains(limits, strings.ToLower(in.FinishSent)) {
		// No budget of the judge's ended it, and none would have kept it.
		end, advice,
			thoughtAdvice = "the server broke the reply off (finish reason "+llm.OneLine(in.FinishSent)+")", "", ""
	}
	thought := in.Reasoning != "" || text != "" || in.Usage.Reasoning != nil && *in.Usage.Reasoning > 0
	switch {
	case blankTail(text):
		return KindWhitespaceLoop, end + " writing blanks"
	case open || answer == "" && thought:
		return KindTruncatedInThought, end + " while thinking" + thoughtAdvice
	}
	return KindTruncated, end + advice
}

// guardBlanks says how many blanks at the end of a reply that was broken off for
// repetition make it a loop of blanks; servers allow some thirty tokens.
const guardBlanks = 16

func blanksAtEnd(s string) int { return len(s) - len(strings.TrimRight(s, " \t\r\n")) }

// blankTail reports whether more than 30 % of the last 512 bytes are blanks. Shorter
// texts are never a loop.
func blankTail(s string) bool {
	const tail = 512
	if len(s) < tail/2 {
		return false
	}
	s = s[max(0, len(s)-tail):]
	blanks := strings.Count(s, " ") + strings.Count(s, "\n") + strings.Count(s, "\t") + strings.Count(s, "\r")
	return blanks*10 > len(s)*3
}

// refusalHead says how much of a reply is searched for a refusal, in bytes: a refusal
// begins the reply.
const refusalHead = 300

// refusing are replies in words that decline to answer: who cannot or will not do what a
// grader does, or that apologise. A judgement ("I cannot see an error") is not a refusal.
var refusing = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(i|we)( am|['’]m| are|['’]re)? (really |respectfully |simply )?` +
		`(cannot|can not|can['’]?t|won['’]?t|will not|unable to|not able to|` +
		`not (going|willing|allowed|permitted) to|decline to|refuse to) ` +
		`(help|assist|comply|continue|proceed|engage|fulfil+|provide|process|respond|answer|participate|discuss|support|` +
		`complete (this|that)|do (this|that))\b`),
	regexp.MustCompile(`(?i)^(i am |i['’]m |we are |we['’]re )?` +
		`((very |so )?sorry|i apologi[sz]e|my apologies|unfortunately|regrettably)\b.{0,80}` +
		`\b(cannot|can not|can['’]?t|won['’]?t|will not|unable|not able|not (allowed|permitted)|decline|refuse)\b`),
	regexp.MustCompile(`(?i)\b(i|we) (must|have to|need to) (respectfully |politely )?(decline|refuse)\b`),
	regexp.MustCompile(`(?i)^(es tut mir leid|tut mir leid|lo siento|désolé|je suis désolé|mi dispiace|desculpe|` +
		`很?抱歉|对不起|申し訳|죄송)`),
}

// refuses reports whether a reply without an object is a refusal in words.
func refuses(text string) bool {
	head := strings.TrimLeft(text[:min(len(text), refusalHead)], " \t\r\n*\"'`#>")
	return slices.ContainsFunc(refusing, func(r *regexp.Regexp) bool { return r.MatchString(head) })
}

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

// kindOf are the kinds of failed requests that are not failures of the transport.
var kindOf = map[llm.ErrorKind]string{
	llm.KindDeferred: KindDeferred, llm.KindRefused: KindRefused, llm.KindOverflow: KindContext,
	llm.KindInvalidReply: KindInvalidReply, llm.KindTooLarge: KindInvalidReply,
	llm.KindBadRequest: KindBadRequest, llm.KindUnauthorized: KindRefusedByEndpoint,
	llm.KindPayment: KindRefusedByEndpoint, llm.KindNotFound: KindRefusedByEndpoint,
}

// Failure names the kind of a failed request.
func Failure(err error) (kind, detail string, fatal bool) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return KindTransport, err.Error(), false
	}
	return cmp.Or(kindOf[e.Kind], KindTransport), e.Error(), e.Fatal
}
