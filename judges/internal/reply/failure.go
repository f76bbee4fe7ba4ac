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

// The kinds of failure of a judgement. A Score carries the kind in its error. A failure is a
// missing value, never a low one.
const (
	KindTransport          = "transport"            // no reply after all retries
	KindInvalidReply       = "invalid_reply"        // the body is not a chat completion, after all retries
	KindBadRequest         = "bad_request"          // the server does not accept the request
	KindRefused            = "refusal"              // the model or the service declined
	KindRefusedByEndpoint  = "refused_by_endpoint"  // the endpoint refused this item but answers others
	KindTruncated          = "truncated"            // cut off at the token limit
	KindTruncatedInThought = "truncated_in_thought" // cut before the answer began
	KindInvalidJSON        = "invalid_json"         // the reply has no JSON object
	KindSchemaViolation    = "schema_violation"     // the object breaks the rubric's schema
	KindCanary             = "canary"               // the answer contains the secret word
	KindContextCut         = "context_cut"          // the server cut the prompt
	KindContext            = "context"              // the record does not fit the model
	KindWhitespaceLoop     = "whitespace_loop"      // only blanks until the token limit
)

// KindDeferred is the kind of a judgement whose request was put into a batch. It has no score line.
const KindDeferred = "deferred"

// Kinds returns all kinds except KindDeferred.
func Kinds() []string {
	return []string{
		KindTransport, KindInvalidReply, KindBadRequest, KindRefused, KindRefusedByEndpoint, KindTruncated,
		KindTruncatedInThought, KindInvalidJSON, KindSchemaViolation, KindCanary, KindContextCut, KindContext,
		KindWhitespaceLoop,
	}
}

// cutShort classifies a reply that ended too early: at the token limit, by a guard against loops,
// or by a content filter.
func cutShort(in *llm.Response, text, answer string) (kind, detail string) {
	switch in.FinishReason {
	case "length":
	case "content_filter":
		return KindRefused, "a content filter ended the reply"
	case llm.FinishRepetition:
		// A server that stops a reply for repeating itself calls it finished. If the text is one
		// complete object, the object was finished before the loop, which is one of blanks.
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
		// None of the judge's own limits ended it, and a larger one would not have helped.
		end, advice,
			thoughtAdvice = "the server broke the reply off (finish reason "+llm.OneLine(in.FinishSent)+")", "", ""
	}
	thought := in.Reasoning != "" || text != "" || in.Usage.Reasoning != nil && *in.Usage.Reasoning > 0
	switch {
	case blankTail(text):
		return KindWhitespaceLoop, end + " writing blanks"
	case answer == "" && thought:
		return KindTruncatedInThought, end + " while thinking" + thoughtAdvice
	}
	return KindTruncated, end + advice
}

// guardBlanks is the number of blanks at the end of a reply that make it a loop of blanks, if the
// reply was stopped for repetition. Servers stop after about thirty tokens.
const guardBlanks = 16

func blanksAtEnd(s string) int { return len(s) - len(strings.TrimRight(s, " \t\r\n")) }

// blankTail reports whether more than 30 % of the last 512 bytes are blanks. A text of fewer than
// 512 bytes is measured whole, and one of fewer than 256 is never a loop.
func blankTail(s string) bool {
	const tail = 512
	if len(s) < tail/2 {
		return false
	}
	s = s[max(0, len(s)-tail):]
	blanks := strings.Count(s, " ") + strings.Count(s, "\n") + strings.Count(s, "\t") + strings.Count(s, "\r")
	return blanks*10 > len(s)*3
}

// refusalHead is the number of bytes of a reply that are searched for a refusal, because a refusal
// begins the reply.
const refusalHead = 300

// refusing matches replies in words that refuse to answer: they say that they cannot or will not
// grade, or they apologise. A judgement ("I cannot see an error") is not a refusal.
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

// maxRepairText limits how many characters of a bad answer are repeated in a repair request.
const maxRepairText = 4000

// Repair returns the messages that ask for a corrected answer: the original ones, the bad text
// without its thinking, and what is wrong with it. nth counts the repairs of a sample from 1, so
// that no two requests are equal, even after equal replies.
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

// kindOf maps the kinds of failed requests to kinds of judgements; all others are failures of the
// transport.
var kindOf = map[llm.ErrorKind]string{
	llm.KindDeferred: KindDeferred, llm.KindRefused: KindRefused, llm.KindOverflow: KindContext,
	llm.KindInvalidReply: KindInvalidReply, llm.KindTooLarge: KindInvalidReply,
	llm.KindBadRequest: KindBadRequest, llm.KindUnauthorized: KindRefusedByEndpoint,
	llm.KindPayment: KindRefusedByEndpoint, llm.KindNotFound: KindRefusedByEndpoint,
}

// Failure classifies a failed request.
func Failure(err error) (kind, detail string, fatal bool) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return KindTransport, err.Error(), false
	}
	return cmp.Or(kindOf[e.Kind], KindTransport), e.Error(), e.Fatal
}
