package baseline

import (
	"strings"
	"sync"
	"unicode"

	"github.com/judgekit/judge/internal/value"
)

// cache keeps parsed tool blocks: every call of a conversation comes with the
// same one. It is emptied when full, and never changes an answer.
type cache struct {
	mu    sync.Mutex
	sets  map[string]map[string]*tool
	bytes int // of the blocks in sets
}

// A full cache: so many blocks, or so many bytes of them. What is parsed takes a few
// times as much.
const (
	maxToolSets  = 64
	maxToolBytes = 1 << 20
)

func (c *cache) toolSet(block string) map[string]*tool {
	c.mu.Lock()
	set, ok := c.sets[block]
	c.mu.Unlock()
	if ok {
		return set
	}
	block = strings.Clone(block) // what is kept may not hold the whole prompt
	set = map[string]*tool{}
	for line := range strings.Lines(block) {
		n, err := value.ParseString(strings.TrimSpace(line))
		if err != nil || n.Kind() != value.Object {
			continue
		}
		t := &tool{name: n.Field("name").Text(), description: n.Field("description").Text()}
		if p := n.Field("parameters"); p.Kind() == value.Object {
			t.schema = p
		}
		t.changes = changesState(t.name, t.description)
		t.asksConfirmation = strings.Contains(strings.ToLower(t.description), "confirm")
		set[t.name] = t
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(block) > maxToolBytes {
		return set
	}
	if c.sets == nil || len(c.sets) >= maxToolSets || c.bytes+len(block) > maxToolBytes {
		c.sets, c.bytes = map[string]map[string]*tool{}, 0
	}
	if _, again := c.sets[block]; !again { // another request may have been quicker
		c.bytes += len(block)
	}
	c.sets[block] = set
	return set
}

// nameWords cuts an identifier into lower-case words: at every character that is
// no letter or digit, and before capitals.
func nameWords(name string) []string {
	var words []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			words = append(words, b.String())
			b.Reset()
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && lower:
			flush()
			fallthrough
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	flush()
	return words
}

const (
	readVerbs = " get list find search read show check lookup look query view fetch calculate compute count describe is has have can convert think validate verify retrieve detect translate analyze analyse compare predict estimate generate explain summarize plan browse recommend suggest info details status history "
	actVerbs  = " cancel modify update book create delete exchange return send add remove set pay purchase buy order post write insert register reset change schedule refund assign close open submit place transfer approve reject activate deactivate enable disable move rename edit patch put drop kill stop start restart deploy publish share invite reserve subscribe unsubscribe withdraw deposit upload execute run turn clear archive merge push commit grant revoke lock unlock "
)

// changesState guesses from the first telling word of the name, else from the
// first word of the description, whether a tool changes state.
func changesState(name, description string) bool {
	words := nameWords(name)
	for _, w := range words {
		if strings.Contains(readVerbs, " "+w+" ") {
			return false
		}
		if strings.Contains(actVerbs, " "+w+" ") {
			return true
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(description), " ")
	first = strings.Trim(strings.ToLower(first), ".,:;")
	if first == "return" || first == "returns" { // "Returns the weather", not "Return an item"
		return false
	}
	return strings.Contains(actVerbs, " "+strings.TrimSuffix(first, "s")+" ") || strings.Contains(actVerbs, " "+first+" ")
}
