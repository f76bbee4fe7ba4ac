package reply

import (
	"regexp"
	"strings"
)

// refusalHead is how much of a reply is looked at for a refusal, in bytes: who declines
// says so first.
const refusalHead = 300

// refusing are replies in words that decline to answer: who cannot or will not do what a
// grader does, or who is sorry and cannot. A judgement ("I cannot see an error") is none.
var refusing = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(i|we)( am|['’]m| are|['’]re)? (really |respectfully |simply )?` +
		`(cannot|can not|can['’]?t|won['’]?t|will not|unable to|not able to|not (going|willing|allowed|permitted) to|decline to|refuse to) ` +
		`(help|assist|comply|continue|proceed|engage|fulfil+|provide|process|respond|answer|participate|discuss|support|complete (this|that)|do (this|that))\b`),
	regexp.MustCompile(`(?i)^(i am |i['’]m |we are |we['’]re )?((very |so )?sorry|i apologi[sz]e|my apologies|unfortunately|regrettably)\b.{0,80}` +
		`\b(cannot|can not|can['’]?t|won['’]?t|will not|unable|not able|not (allowed|permitted)|decline|refuse)\b`),
	regexp.MustCompile(`(?i)\b(i|we) (must|have to|need to) (respectfully |politely )?(decline|refuse)\b`),
	regexp.MustCompile(`(?i)^(es tut mir leid|tut mir leid|lo siento|désolé|je suis désolé|mi dispiace|desculpe|很?抱歉|对不起|申し訳|죄송)`),
}

// refuses reports whether a reply without an object is a refusal in words.
func refuses(text string) bool {
	head := strings.TrimLeft(text[:min(len(text), refusalHead)], " \t\r\n*\"'`#>")
	for _, r := range refusing {
		if r.MatchString(head) {
			return true
		}
	}
	return false
}
