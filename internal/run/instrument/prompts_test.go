package instrument

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// endpoint keeps what it is sent and refuses prompts of more than most bytes, if that is set.
type endpoint struct {
	most    int
	sent    map[string][][]llm.Message // the prompts that were not refused, by key
	refused map[string][]*journal.Entry
}

func (e *endpoint) Do(_ context.Context, req llm.Request) (*llm.Response, error) {
	size := 0
	for _, m := range req.Messages {
		size += len(m.Content)
	}
	if e.most > 0 && size > e.most {
		err := &llm.Error{Kind: llm.KindOverflow, Attempts: 1, Message: "maximum context length is 5000 tokens"}
		e.refused[req.Key] = append(e.refused[req.Key], &journal.Entry{Model: req.Model, Key: req.Key, Error: err})
		return nil, err
	}
	e.sent[req.Key] = append(e.sent[req.Key], req.Messages)
	return &llm.Response{Content: "no answer", FinishReason: "stop"}, nil
}

// TestPromptsAreThoseOfTheRun: a prompt that is shown later is, byte for byte, the one that was sent, also if it was
// shortened after a refusal; judges that were sent the same share it.
func TestPromptsAreThoseOfTheRun(t *testing.T) {
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	const run = "20261128-120000-ab12"
	of := func(name, model string, edit func(*judges.Config)) Judge {
		j := Judge{Config: judges.Config{Name: name, Model: model, MaxRepairs: -1}}
		if edit != nil {
			edit(&j.Config)
		}
		return j
	}
	marked := func(c *judges.Config) { c.Prompt.Marker = "^" }
	long := func(c *transcript.Conversation) { c.Messages[0].Content = strings.Repeat("Where is it? ", 4000) }
	for name, tt := range map[string]struct {
		judges []Judge
		most   int
		edit   func(*transcript.Conversation)
		want   []string // the judges whose prompts are shown
	}{
		"one":                {[]Judge{of("a", "m", nil)}, 0, nil, []string{"a"}},
		"two that ask alike": {[]Judge{of("a", "m", nil), of("b", "n", nil)}, 0, nil, []string{"a"}},
		"two that do not":    {[]Judge{of("a", "m", nil), of("b", "m", marked)}, 0, nil, []string{"a", "b"}},
		"one that is refused": {[]Judge{of("a", "m", nil)}, 20_000, func(c *transcript.Conversation) {
			c.Messages[0].Content = "Where is it?"
			for range 30 {
				more := transcript.Message{Role: transcript.User, Content: strings.Repeat("Well? ", 200)}
				c.Messages = append([]transcript.Message{more}, c.Messages...)
			}
			c.Calls[0].Message += 30
		}, []string{"a"}},
	} {
		c := sampleConversation()
		if tt.edit != nil {
			tt.edit(c)
		}
		p := &Prompter{RunID: run, Judges: tt.judges, Rubrics: list}
		exchanges := map[string][]*journal.Entry{}
		var want []Prompt
		for i := range tt.judges {
			server := &endpoint{most: tt.most, sent: map[string][][]llm.Message{}, refused: map[string][]*journal.Entry{}}
			cfg := tt.judges[i].Config
			own := PromptOptions(run)
			cfg.Rubrics, cfg.Prompt.RunKey, cfg.Prompt.Canary = list, own.RunKey, own.Canary
			j, err := judges.New(server, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := j.Call(t.Context(), c, 0, judges.Facts{}); err != nil {
				t.Fatal(err)
			}
			for key, entries := range server.refused {
				other := *entries[0]
				other.Model = "another"
				exchanges[key] = append(exchanges[key], append(entries, &other, &journal.Entry{Model: entries[0].Model})...)
			}
			sent := server.sent[judges.RequestKey(c.ID, judges.OfCall(0), list[1].Name)]
			if len(sent) != 1 || tt.most > 0 && len(server.refused) != len(list) {
				t.Fatalf("%s: %d prompts were sent, %d refused", name, len(sent), len(server.refused))
			}
			if i < len(tt.want) {
				want = append(want, Prompt{Judge: tt.want[i], Messages: sent[0]})
			}
		}
		got, err := p.Prompts(t.Context(), c, judges.OfCall(0), list[1].Name, exchanges)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v %.2000s", name, err, d)
		}
		if got, err := p.Prompts(t.Context(), c, judges.OfCall(0), "none", nil); err != nil || got != nil {
			t.Errorf("%s: no such rubric: %v, %v", name, got, err)
		}
	}
	// What has no room was not sent.
	c := sampleConversation()
	long(c)
	small := of("a", "m", nil)
	small.ContextTokens = 3000
	p := &Prompter{RunID: run, Judges: []Judge{small}, Rubrics: list}
	got, err := p.Prompts(t.Context(), c, judges.OfCall(0), list[0].Name, nil)
	if d := cmp.Diff([]Prompt{{Judge: "a"}}, got); d != "" || err != nil {
		t.Errorf("without room: %v %.500s", err, d)
	}
}

// TestPromptsTogether: of a judge that asks by several rubrics at once the common prompt is shown, and the rubric's own
// one only if the journal has it from this judge.
func TestPromptsTogether(t *testing.T) {
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	j := Judge{Config: judges.Config{Model: "m", MaxRepairs: -1}}
	j.Config.Prompt.Layout = judges.Together
	p := &Prompter{RunID: "r", Judges: []Judge{j}, Rubrics: list}
	c := sampleConversation()
	common := judges.RequestKey(c.ID, judges.OfCall(0), judges.TogetherKey)
	alone := judges.RequestKey(c.ID, judges.OfCall(0), list[0].Name)
	entry := func(model string) []*journal.Entry { return []*journal.Entry{{Model: model}} }
	for name, tt := range map[string]struct {
		exchanges map[string][]*journal.Entry
		want      []string
	}{
		"only together": {map[string][]*journal.Entry{common: entry("m")}, []string{"together"}},
		"alone afterwards": {map[string][]*journal.Entry{common: entry("m"), alone: entry("m")},
			[]string{"together", "alone"}},
		"alone by another":      {map[string][]*journal.Entry{common: entry("m"), alone: entry("n")}, []string{"together"}},
		"nothing in the record": {nil, []string{"together"}},
	} {
		got, err := p.Prompts(t.Context(), c, judges.OfCall(0), list[0].Name, tt.exchanges)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, prompt := range got {
			system := prompt.Messages[0].Content
			both := strings.Contains(system, list[0].Description) && strings.Contains(system, list[1].Description)
			said = append(said, map[bool]string{true: "together", false: "alone"}[both])
		}
		if d := cmp.Diff(tt.want, said); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
