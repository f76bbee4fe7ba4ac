package format

import (
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
)

// maxPlaces limits the places that a Summary keeps for each kind of note, maxUnreadable the
// unreadable records; all are counted.
const (
	maxPlaces     = 5
	maxUnreadable = 100
	// maxNames limits the tools and labels that are counted separately; otherNames counts the rest.
	maxNames   = 10000
	otherNames = "(others)"
)

// Summary holds what `judge logs inspect` reports about one or several logs. Its JSON is stable; lists
// are sorted or in the log's order.
type Summary struct {
	Files []FileSummary `json:"files"`
	// Conversations to Expected are counts over all files.
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	// Calls counts the calls that were made and should be scored; CallsBy says by whom. Context
	// calls (history in rubric examples) and Proposed ones (only written in text, and only if
	// requested) are counted separately.
	Calls    int                `json:"calls"`
	CallsBy  []transcript.Count `json:"calls_by"`
	Context  int                `json:"context_calls"`
	Proposed int                `json:"proposed_calls"`
	// Results counts tool messages, Paired those that belong to a call, by the way of pairing;
	// ErrorResults counts those that the log marks as errors.
	Results      int                `json:"results"`
	Paired       []transcript.Count `json:"paired"`
	ErrorResults int                `json:"error_results"`
	// SeveralCalls counts the messages with more than one call.
	SeveralCalls int `json:"messages_with_several_calls"`
	// WithExpected counts conversations with a reference, Negative those whose reference says that no call is
	// right, Expected the calls in references, ExpectedOfUser those of them that a simulated user should make.
	WithExpected   int `json:"conversations_with_expected"`
	Negative       int `json:"negative_cases"`
	Expected       int `json:"expected_calls"`
	ExpectedOfUser int `json:"expected_calls_of_user"`
	WithTools      int `json:"conversations_with_tools"`
	// Empty counts messages of users and agents with neither text nor calls.
	Empty int `json:"empty_messages"`
	// WithoutContent counts conversations with messages but without any text.
	WithoutContent int                `json:"conversations_without_content"`
	Tools          []ToolSummary      `json:"tools"`
	Labels         []transcript.Count `json:"labels"`
	Notes          []NoteSummary      `json:"notes"`
	// Unreadable counts the records that could not be read; Problems holds the first of them.
	Unreadable int      `json:"unreadable"`
	Problems   []string `json:"problems"`
}

// FileSummary describes one file of a Summary.
type FileSummary struct {
	File   string `json:"file"`
	Format string `json:"format"`
	// Evidence says how the format was recognised; Also lists other formats that fit.
	Evidence      string   `json:"evidence,omitempty"`
	Also          []string `json:"also_fits,omitempty"`
	Conversations int      `json:"conversations"`
	Messages      int      `json:"messages"`
	Calls         int      `json:"calls"`
	Results       int      `json:"results"`
	// Unpaired counts calls without a result and results without a call.
	Unpaired int `json:"unpaired"`
	// Dropped counts, by kind, what was left out of the conversations.
	Dropped    []transcript.Count `json:"dropped,omitempty"`
	Unreadable int                `json:"unreadable"`
	// Error says why reading stopped early; "" if it did not.
	Error string `json:"error,omitempty"`
	// First shows the first conversation with a message, for the first few files.
	First []Glance `json:"first_conversation,omitempty"`
	// Guess says what a log in an unknown format seems to contain; nil for other logs.
	Guess *Guess `json:"guess,omitempty"`
}

// Material counts the labelled cases of one tool by kind. A tool is fully tested if it has a case of each kind:
// a call that is right, a conversation in which no call is right, and a call that fails.
type Material struct {
	// Positive counts conversations whose reference names the tool. Negative counts those whose
	// reference says that no call is right although the agent had the tool (or called it). Recovery
	// counts those with a reference in which a call to the tool failed.
	Positive int `json:"positive"`
	Negative int `json:"negative"`
	Recovery int `json:"recovery"`
}

// Missing returns the kinds without a case.
func (m Material) Missing() []string {
	out := []string{}
	for i, n := range []int{m.Positive, m.Negative, m.Recovery} {
		if n == 0 {
			out = append(out, []string{"positive", "negative", "recovery"}[i])
		}
	}
	return out
}

// ToolSummary counts the calls of one tool.
type ToolSummary struct {
	Name      string `json:"name"`
	Calls     int    `json:"calls"`
	Malformed int    `json:"malformed"`
	Refused   int    `json:"refused"`
	// Listed says that the tool is in some conversation's inventory.
	Listed bool `json:"listed"`
	// Material counts the tool's labelled cases.
	Material Material `json:"labelled"`
}

// NoteSummary counts one kind of note and holds its first places.
type NoteSummary struct {
	Kind   string   `json:"kind"`
	Count  int      `json:"count"`
	Places []string `json:"places"`
}

// Read reads a log to its end and adds it to the summary. If it returns an error, everything before
// the error is counted.
func (s *Summary) Read(r *Reader) error {
	f := FileSummary{File: r.file}
	var end error
	for c, err := range r.All() {
		var p *transcript.Problem
		switch {
		case errors.As(err, &p):
			f.Unreadable++
			if len(s.Problems) < maxUnreadable {
				s.Problems = append(s.Problems, p.Error())
			}
		case err != nil:
			end, f.Error = err, transcript.WithoutAdvice(err).Error()
		default:
			calls, results := s.Calls, s.Results
			s.add(c)
			if f.First == nil && len(s.Files) < glanceReaders {
				f.First = glance(c)
			}
			f.Conversations++
			f.Messages += len(c.Messages)
			f.Calls += s.Calls - calls
			f.Results += s.Results - results
			f.Unpaired += unpaired(c)
			for _, n := range c.Dropped {
				entry(&f.Dropped, n.Name, func(c *transcript.Count) *string { return &c.Name }).Count += n.Count
			}
		}
	}
	if r.seen.aside > 0 {
		entry(&f.Dropped, "trace without a model or tool call", func(c *transcript.Count) *string { return &c.Name }).Count +=
			r.seen.aside
	}
	f.Format, f.Evidence, f.Also = r.detected.Format, r.detected.Evidence, r.detected.Also
	s.Unreadable += f.Unreadable
	s.Files = append(s.Files, f)
	return end
}

// unpaired counts the calls without a result, and the results without a call.
func unpaired(c *transcript.Conversation) int {
	n := 0
	for i := range c.Calls {
		n += b2i(c.Calls[i].Result < 0 && !c.Calls[i].Context && !c.Calls[i].Proposed)
	}
	for i := range c.Messages {
		n += b2i(c.Messages[i].Role == transcript.ToolRole && c.Messages[i].Result < 0)
	}
	return n
}

// add adds one conversation.
func (s *Summary) add(c *transcript.Conversation) {
	s.Conversations++
	s.Messages += len(c.Messages)
	s.WithTools += b2i(len(c.Tools) > 0)
	for i := range c.Tools {
		s.tool(c.Tools[i].Name).Listed = true
	}
	s.addCalls(c)
	s.addMessages(c)
	s.addLabelled(c)
	if c.Expected != nil {
		s.WithExpected++
		s.Expected += len(c.Expected.Calls)
		for i := range c.Expected.Calls {
			s.ExpectedOfUser += b2i(c.Expected.Calls[i].Requestor == "user")
		}
		s.Negative += b2i(c.Expected.Calls != nil && len(c.Expected.Calls) == 0)
	}
	for _, l := range c.Labels {
		tally(&s.Labels, l.Name)
	}
	for _, n := range c.Notes {
		sum := entry(&s.Notes, n.Kind, func(n *NoteSummary) *string { return &n.Kind })
		if sum.Count++; len(sum.Places) < maxPlaces {
			sum.Places = append(sum.Places, n.Place)
		}
	}
}

func (s *Summary) addCalls(c *transcript.Conversation) {
	for i := range c.Calls {
		call := &c.Calls[i]
		switch {
		case call.Proposed:
			s.Proposed++
			continue
		case call.Context:
			s.Context++
			continue
		}
		s.Calls++
		tally(&s.CallsBy, call.Executor)
		t := s.tool(call.Name)
		t.Calls++
		t.Malformed += b2i(call.Malformed)
		t.Refused += b2i(call.Refused)
	}
}

func (s *Summary) addMessages(c *transcript.Conversation) {
	text := false
	for i := range c.Messages {
		m := &c.Messages[i]
		text = text || m.Content != ""
		s.SeveralCalls += b2i(len(m.Calls) > 1)
		if m.Role != transcript.ToolRole {
			s.Empty += b2i(m.Content == "" && m.Reasoning == "" && len(m.Calls) == 0)
			continue
		}
		s.Results++
		s.ErrorResults += b2i(m.IsError)
		if m.Result >= 0 {
			tally(&s.Paired, c.Calls[m.Result].Pairing)
		}
	}
	hidden := slices.ContainsFunc(c.Notes, func(n transcript.Note) bool { return n.Kind == transcript.ContentHidden })
	s.WithoutContent += b2i(!text && (hidden || len(c.Messages) > 0))
}

// addLabelled counts the labelled cases of a conversation with a reference, each tool once per kind.
func (s *Summary) addLabelled(c *transcript.Conversation) {
	if c.Expected == nil || c.Expected.Calls == nil {
		return
	}
	kinds := map[string]*Material{}
	of := func(name string) *Material {
		if kinds[name] == nil {
			kinds[name] = &Material{}
		}
		return kinds[name]
	}
	none := b2i(len(c.Expected.Calls) == 0)
	for _, i := range c.ExpectedOfAgent() {
		of(c.Expected.Calls[i].Name).Positive = 1
	}
	for i := range c.Tools {
		of(c.Tools[i].Name).Negative = none
	}
	for i := range c.Calls {
		call := &c.Calls[i]
		if call.Executor == "user" || call.Context {
			continue
		}
		_, failed := c.Failure(call)
		m := of(call.Name)
		m.Negative, m.Recovery = none, max(m.Recovery, b2i(failed))
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		t, m := s.tool(name), kinds[name]
		t.Material.Positive += m.Positive
		t.Material.Negative += m.Negative
		t.Material.Recovery += m.Recovery
	}
}

// entry finds the entry with a name in a list sorted by name, or adds it; beyond maxNames names all
// others share one. The pointer is valid until the next entry is added.
func entry[T any](list *[]T, name string, key func(*T) *string) *T {
	i, found := sort.Find(len(*list), func(i int) int { return strings.Compare(name, *key(&(*list)[i])) })
	switch {
	case found:
	case len(*list) >= maxNames && name != otherNames:
		return entry(list, otherNames, key)
	default:
		var e T
		*key(&e) = strings.Clone(name)
		*list = slices.Insert(*list, i, e)
	}
	return &(*list)[i]
}

func tally(list *[]transcript.Count, name string) {
	entry(list, name, func(c *transcript.Count) *string { return &c.Name }).Count++
}

func (s *Summary) tool(name string) *ToolSummary {
	return entry(&s.Tools, name, func(t *ToolSummary) *string { return &t.Name })
}
