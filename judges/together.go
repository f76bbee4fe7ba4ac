package judges

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// TogetherKey replaces the rubric's name in the Key of a request about several rubrics.
const TogetherKey = "together"

// group is a set of rubrics that are asked together about an item, with what their requests share.
type group struct {
	instrument
	members []*rubrics.Rubric
}

// Group returns those of some rubrics that one request can ask about an item together; nil if there
// are fewer than two. A rubric that shows the expected calls is asked alone, so that they do not
// influence other rubrics' answers.
func Group(list []*rubrics.Rubric, conv *Conversation, t Target) []*rubrics.Rubric {
	var out []*rubrics.Rubric
	for _, r := range list {
		if !r.SeesExpected && Asks(r, conv, t) {
			out = append(out, r)
		}
	}
	if len(out) < 2 {
		return nil
	}
	return out
}

// SavedTogether returns how many requests a conversation saves if rubrics are asked together.
func SavedTogether(list []*rubrics.Rubric, conv *Conversation) (n int) {
	for _, t := range allTargets(conv, list) {
		n += max(1, len(Group(list, conv, t))) - 1
	}
	return n
}

// group returns the rubrics that are asked about an item together; nil if each is asked alone.
func (j *Judge) group(conv *Conversation, t Target) *group {
	if j.cfg.Prompt.Layout != prompt.Together {
		return nil
	}
	members := Group(j.cfg.Rubrics, conv, t)
	if members == nil {
		return nil
	}
	var names strings.Builder
	for _, r := range members {
		names.WriteString(r.Name + "\n")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	g := j.groups[names.String()]
	if g == nil {
		g = newGroup(members, j.cfg)
		j.groups[names.String()] = g
	}
	return g
}

func newGroup(members []*rubrics.Rubric, cfg Config) *group {
	schema := func(sent func(*rubrics.Rubric) value.Value) llm.Schema {
		return llm.NewSchema(TogetherKey, json.RawMessage(prompt.TogetherSchema(members, sent).JSON()), cfg.Strict)
	}
	return &group{members: members, instrument: instrument{
		rubric: &rubrics.Rubric{Name: TogetherKey, Scope: members[0].Scope},
		frame:  prompt.NewTogetherFrame(members, cfg.Prompt),
		schema: schema((*rubrics.Rubric).SentSchema), text: schema((*rubrics.Rubric).SentSchemaText),
	}}
}

// limit returns the judge's room for a prompt if an answer covers every rubric of the group.
func (g *group) limit(cfg *Config) Limit {
	l, thought := cfg.Prompt.Limit, 0
	if cfg.Reasoning {
		thought = min(cfg.ReasoningTokens, l.Answer)
	}
	return l.Answering(len(g.members)*(l.Answer-thought) + thought)
}

// jointAnswer is the reply about one item for several rubrics. Whoever needs it first sends the
// request.
type jointAnswer struct {
	once    sync.Once
	shown   window.Shown
	asked   *sampling // nil if the request does not fit
	members *reply.Members
	cost    Result
	err     error
}

// jointKey identifies an answer: the judges of a run may share a conversation's record.
type jointKey struct {
	judge  string
	target Target
}

func (rec *record) jointAnswer(k jointKey) *jointAnswer {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.joint == nil {
		rec.joint = map[jointKey]*jointAnswer{}
	}
	if rec.joint[k] == nil {
		rec.joint[k] = &jointAnswer{}
	}
	return rec.joint[k]
}

// together makes one judgement from the answer that several rubrics share. Its Verdict is "" if the
// rubric must be asked alone: the common request does not fit, or the answer breaks this rubric's
// schema. The cost of the request is divided among the rubrics.
func (j *Judge) together(
	ctx context.Context, g *group, in *instrument, rec *record, t Target, facts Facts,
) (Result, error) {
	a := rec.jointAnswer(jointKey{j.cfg.Name, t})
	a.once.Do(func() { a.err = j.askTogether(ctx, g, rec, t, a) })
	res := j.blank(in, rec.conv, t)
	if a.err != nil || a.asked == nil {
		return res, a.err
	}
	a.cost.divide(g.index(in), len(g.members), &res)
	s := *a.asked
	s.in = in
	switch s.reading.Kind {
	case "":
		member := a.members.Of(in.rubric.Name)
		if member == nil {
			return res, nil
		}
		s.response, s.reading = member, reply.Read(in.rubric, member, s.readOptions(member))
		if !s.reading.OK() {
			return res, nil
		}
		for _, code := range a.members.Repairs {
			s.reading.Raise(code, 1, "")
		}
	case KindContext, KindBadRequest, KindContextCut:
		return res, nil
	}
	res.Transport, res.Fingerprint = a.cost.Transport, a.cost.Fingerprint
	g.noteLeftOut(&res, &a.shown, 0)
	j.finish(in, rec, &res, []*sampling{&s}, &a.shown, facts)
	return res, nil
}

// askTogether sends the request of a group about an item, without repairs: rubrics whose answer is
// missing are asked alone.
func (j *Judge) askTogether(ctx context.Context, g *group, rec *record, t Target, a *jointAnswer) error {
	limit := g.limit(&j.cfg)
	messages, shown, _ := g.messages(rec.view, t, limit)
	if shown.TooLong {
		return nil
	}
	a.shown, a.asked = shown, j.sampling(&g.instrument, rec, t, messages, limit)
	resp, err := a.asked.send(ctx, &a.cost, messages)
	if err != nil || resp == nil {
		return err
	}
	if why := j.Limit().Cut(messages, resp.Usage.Prompt); why != "" {
		a.asked.reading.Fail(KindContextCut, why)
	}
	a.members = reply.ReadMembers(resp, a.asked.readOptions(resp))
	return nil
}

// index returns a rubric's position in the group; -1 if it is not in it.
func (g *group) index(in *instrument) int {
	return slices.IndexFunc(g.members, func(r *rubrics.Rubric) bool { return r.Name == in.rubric.Name })
}

// has reports whether the group exists and contains the rubric.
func (g *group) has(in *instrument) bool { return g != nil && g.index(in) >= 0 }

// divide writes one of n shares of the cost in r to a result, at being its number from 0: every
// result gets an equal share of the tokens, and the first one gets the request.
func (r *Result) divide(at, n int, to *Result) {
	share := func(tokens *int) *int {
		if tokens == nil {
			return nil
		}
		part := *tokens / n
		if at < *tokens%n {
			part++
		}
		return &part
	}
	u := r.Usage
	to.Usage = llm.Usage{Prompt: share(u.Prompt), Completion: share(u.Completion), Reasoning: share(u.Reasoning),
		Cached: share(u.Cached)}
	if at == 0 {
		to.Requests, to.Cached, to.Latency = r.Requests, r.Cached, r.Latency
	}
}

// sharedFits yields the sizes of the prompts for the items about which a rubric is asked together
// with others, and returns the items about which it is asked alone.
func (j *Judge) sharedFits(
	in *instrument, v *prompt.View, cached *Prefixes, yield func(*Fit) bool,
) (alone []Target, more bool) {
	targets := Targets(v.Conversation(), in.rubric)
	if j.cfg.Prompt.Layout != prompt.Together {
		return targets, true
	}
	opening, known := v.Opening()
	for _, t := range targets {
		g, shown := j.group(v.Conversation(), t), window.Shown{TooLong: true}
		if g.has(in) {
			shown = v.Measure(t, g.place(v, g.limit(&j.cfg)).room)
		}
		if shown.TooLong {
			alone = append(alone, t)
			continue
		}
		f := &Fit{Rubric: in.rubric.Name, Target: t, FullTokens: g.tokens(0, shown.Full), Shortened: shown.Shortened,
			Shared: g.index(in) > 0}
		if !f.Shared {
			frame, closing := g.frame.Messages[0], g.frame.Endings[0].Closing
			f.Bytes, f.Tokens = len(frame[0].Content)+len(closing)+shown.Bytes, g.tokens(0, shown.Tokens)
			f.Computed = cached.add(prefix{group: g}, g.frame.Costs[0]) +
				cached.add(prefix{group: g, opening: opening}, known) + shown.Tokens - min(known, shown.Prefix)
			known = max(known, shown.Prefix)
		}
		if !yield(f) {
			return nil, false
		}
	}
	return alone, true
}
