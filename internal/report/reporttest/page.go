package reporttest

import (
	"slices"

	"github.com/judgekit/judge/internal/report/page"
)

// Selected is the part of items that a query asks for, and how many there are in all.
func Selected(q page.Query, all []*page.Item) (part []*page.Item, total int) {
	var keys []page.Key
	for _, i := range all {
		if q.Match(i, nil) {
			keys = append(keys, q.Key(i))
		}
	}
	for _, k := range q.Part(keys) {
		part = append(part, all[slices.IndexFunc(all, func(i *page.Item) bool { return i.Order == k.Item })])
	}
	return part, len(keys)
}
