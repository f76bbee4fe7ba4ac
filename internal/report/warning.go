package report

import (
	"fmt"

	"github.com/judgekit/judge/internal/report/document"
)

// Warning is a remark that belongs beside a number.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// UnreliableAbove is the share of missing scores from which a row is marked.
const UnreliableAbove = 0.02

// FewConversations is the number of conversations below which intervals are doubtful.
const FewConversations = 10

// FewConversationsWarning is the warning where n is below FewConversations.
func FewConversationsWarning(n int) Warning {
	return Warning{"few_conversations", fmt.Sprintf("only %s: the interval is a guess", document.Count(n, "conversation", "conversations"))}
}
