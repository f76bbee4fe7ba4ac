package reporttest

import (
	"strings"

	"github.com/judgekit/judge/internal/report/page"
)

// Selected returns the items that a query requests, and how many match in all. The items must be in
// log order.
func Selected(q page.Query, all []*page.Item) (part []*page.Item, total int) {
	summary := page.NewSummary(nil)
	var keys []page.SortKeys
	for _, i := range all {
		terms := summary.Add(i)
		if page.HasAll(terms, summary.Wanted(&q)) && (q.Conversation == "" || q.Conversation == i.Conversation) &&
			strings.Contains(i.Text(), strings.ToLower(q.Text)) {
			keys = append(keys, i.SortKeys())
		}
	}
	for _, k := range q.Part(keys) {
		part = append(part, all[k.Order])
	}
	return part, len(keys)
}
