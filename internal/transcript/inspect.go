package transcript

import (
	"errors"
	"io"
	"slices"
	"strings"
)

// maxPlaces is how many first places of a kind of note, and maxUnreadable how many
// unreadable records, a Summary keeps; all are counted.
const (
	maxPlaces     = 5
	maxUnreadable = 100
	// maxNames bounds the different tools and labels that are counted apart, and
	// otherNames stands for the ones beyond.
	maxNames   = 10000
	otherNames = "(others)"
)

// Summary is what `judge logs inspect` tells about one or several logs. Its JSON is
// stable; lists are sorted or in the log's order.
type Summary struct {
	Files []FileSummary `json:"files"`
	// Conversations to Expected are counts over all files.
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	// Calls counts the calls that were made and are to be scored; by whom stands in
	// CallsBy. Context calls (history in rubric examples) and Proposed ones (only
	// written in text, and only where asked for) count apart.
	Calls    int     `json:"calls"`
	CallsBy  []Count `json:"calls_by"`
	Context  int     `json:"context_calls"`
	Proposed int     `json:"proposed_calls"`
	// Results counts tool messages, Paired those that belong to a call, by how that
	// was found; ErrorResults those that the log marks as errors.
	Results      int     `json:"results"`
	Paired       []Count `json:"paired"`
	ErrorResults int     `json:"error_results"`
	// SeveralCalls counts the messages that make more than one call.
	SeveralCalls int `json:"messages_with_several_calls"`
	// WithExpected counts conversations with a reference, Negative those whose
	// reference is that no call is right, Expected the calls of references, ExpectedOfUser
	// those of them that a simulated user should make.
	WithExpected   int `json:"conversations_with_expected"`
	Negative       int `json:"negative_cases"`
	Expected       int `json:"expected_calls"`
	ExpectedOfUser int `json:"expected_calls_of_user"`
	WithTools      int `json:"conversations_with_tools"`
	// WithoutContent counts conversations with messages and without any text.
	WithoutContent int           `json:"conversations_without_content"`
	Tools          []ToolSummary `json:"tools"`
	Labels         []Count       `json:"labels"`
	Notes          []NoteSummary `json:"notes"`
	// Unreadable counts the records that could not be read; the first of them stand
	// in Problems.
	Unreadable int      `json:"unreadable"`
	Problems   []string `json:"problems"`
}

// FileSummary is one file of a Summary.
type FileSummary struct {
	File          string `json:"file"`
	Format        string `json:"format"`
	Conversations int    `json:"conversations"`
	Calls         int    `json:"calls"`
	Unreadable    int    `json:"unreadable"`
	// Error is why reading stopped before the end, "" where it did not.
	Error string `json:"error,omitempty"`
}

// Count is a name and how often it was met.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// ToolSummary counts the calls of one tool.
type ToolSummary struct {
	Name      string `json:"name"`
	Calls     int    `json:"calls"`
	Malformed int    `json:"malformed"`
	Refused   int    `json:"refused"`
	// Listed says that some conversation's inventory holds the tool.
	Listed bool `json:"listed"`
	// Material are the labelled cases of the tool.
	Material Material `json:"labelled"`
}

// NoteSummary counts one kind of note and names its first places.
type NoteSummary struct {
	Kind   string   `json:"kind"`
	Count  int      `json:"count"`
	Places []string `json:"places"`
}

// Inspect reads the log to its end and sums it up. The error is what ended it
// before; the summary of what came before it is complete.
func Inspect(r *Reader) (Summary, error) {
	var s Summary
	var f FileSummary
	f.File = r.file
	var end error
	for c, err := range r.All() {
		var p *Problem
		switch {
		case errors.As(err, &p):
			f.Unreadable++
			s.unreadable(p.Error())
		case err != nil:
			end = err
			f.Error = err.Error()
		default:
			f.Conversations++
			before := s.Calls
			s.Add(c)
			f.Calls += s.Calls - before
		}
	}
	f.Format = r.Format()
	s.Files = append(s.Files, f)
	if errors.Is(end, io.EOF) {
		end = nil
	}
	return s, end
}

func (s *Summary) unreadable(problem string) {
	s.Unreadable++
	if len(s.Problems) < maxUnreadable {
		s.Problems = append(s.Problems, problem)
	}
}

// Add counts one conversation.
func (s *Summary) Add(c *Conversation) {
	s.Conversations++
	s.Messages += len(c.Messages)
	s.WithTools += b2i(len(c.Tools) > 0)
	for i := range c.Tools {
		s.tool(c.Tools[i].Name).Listed = true
	}
	s.addCalls(c)
	s.addMessages(c)
	s.addMaterial(c)
	if c.Expected != nil {
		s.WithExpected++
		s.Expected += len(c.Expected.Calls)
		for i := range c.Expected.Calls {
			s.ExpectedOfUser += b2i(c.Expected.Calls[i].Requestor == "user")
		}
		s.Negative += b2i(c.Expected.Calls != nil && len(c.Expected.Calls) == 0)
	}
	for _, l := range c.Labels {
		add(&s.Labels, l.Name, 1)
	}
	for _, n := range c.Notes {
		s.note(n.Kind, 1, n.Place)
	}
}

func (s *Summary) addCalls(c *Conversation) {
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
		add(&s.CallsBy, call.Executor, 1)
		t := s.tool(call.Name)
		t.Calls++
		t.Malformed += b2i(call.Malformed)
		t.Refused += b2i(call.Refused)
	}
}

func (s *Summary) addMessages(c *Conversation) {
	text := false
	for i := range c.Messages {
		m := &c.Messages[i]
		text = text || m.Content != ""
		s.SeveralCalls += b2i(len(m.Calls) > 1)
		if m.Role != ToolRole {
			continue
		}
		s.Results++
		s.ErrorResults += b2i(m.IsError)
		if m.Result >= 0 {
			add(&s.Paired, c.Calls[m.Result].Pairing, 1)
		}
	}
	s.WithoutContent += b2i(!text && len(c.Messages) > 0)
}

// Merge adds what another summary counted, as if its files had been read behind
// those of s.
func (s *Summary) Merge(o Summary) {
	s.Files = append(s.Files, o.Files...)
	s.Conversations += o.Conversations
	s.Messages += o.Messages
	s.Calls += o.Calls
	s.Context += o.Context
	s.Proposed += o.Proposed
	s.Results += o.Results
	s.ErrorResults += o.ErrorResults
	s.SeveralCalls += o.SeveralCalls
	s.WithExpected += o.WithExpected
	s.Negative += o.Negative
	s.Expected += o.Expected
	s.ExpectedOfUser += o.ExpectedOfUser
	s.WithTools += o.WithTools
	s.WithoutContent += o.WithoutContent
	for _, p := range o.Problems {
		s.unreadable(p)
	}
	s.Unreadable += o.Unreadable - len(o.Problems)
	for _, lists := range [][2]*[]Count{{&s.CallsBy, &o.CallsBy}, {&s.Paired, &o.Paired}, {&s.Labels, &o.Labels}} {
		for _, c := range *lists[1] {
			add(lists[0], c.Name, c.Count)
		}
	}
	for _, t := range o.Tools {
		mine := s.tool(t.Name)
		mine.Calls += t.Calls
		mine.Malformed += t.Malformed
		mine.Refused += t.Refused
		mine.Listed = mine.Listed || t.Listed
		mine.Material.Positive += t.Material.Positive
		mine.Material.Negative += t.Material.Negative
		mine.Material.Recovery += t.Material.Recovery
	}
	for _, n := range o.Notes {
		s.note(n.Kind, n.Count, n.Places...)
	}
}

// add counts under a name; the list stays sorted by name.
func add(list *[]Count, name string, n int) {
	i, found := slices.BinarySearchFunc(*list, name, func(c Count, name string) int { return strings.Compare(c.Name, name) })
	if !found && len(*list) >= maxNames && name != otherNames {
		add(list, otherNames, n)
		return
	}
	if !found {
		*list = slices.Insert(*list, i, Count{Name: strings.Clone(name)})
	}
	(*list)[i].Count += n
}

// tool returns the counts of a tool; the list stays sorted by name. The pointer is
// valid until the next call.
func (s *Summary) tool(name string) *ToolSummary {
	i, found := slices.BinarySearchFunc(s.Tools, name, func(t ToolSummary, name string) int { return strings.Compare(t.Name, name) })
	if !found && len(s.Tools) >= maxNames && name != otherNames {
		return s.tool(otherNames)
	}
	if !found {
		s.Tools = slices.Insert(s.Tools, i, ToolSummary{Name: strings.Clone(name)})
	}
	return &s.Tools[i]
}

func (s *Summary) note(kind string, n int, places ...string) {
	i, found := slices.BinarySearchFunc(s.Notes, kind, func(n NoteSummary, kind string) int { return strings.Compare(n.Kind, kind) })
	if !found {
		s.Notes = slices.Insert(s.Notes, i, NoteSummary{Kind: kind})
	}
	sum := &s.Notes[i]
	sum.Count += n
	for _, p := range places {
		if len(sum.Places) < maxPlaces {
			sum.Places = append(sum.Places, p)
		}
	}
}
