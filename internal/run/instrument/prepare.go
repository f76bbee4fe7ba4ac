package instrument

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Recall is Prepare as far as that needs no request: profiles that were kept or are
// stored and fresh are followed, other judges stay as they are.
func Recall(list []Judge, by []*rubrics.Rubric, kept []Profile, store *Store) {
	for i := range list {
		j := &list[i]
		if j.Baseline || j.recall(kept) {
			continue
		}
		if caps := store.load(bare(j.Endpoint), j.Config.Model, j.Settings()); caps != nil {
			j.follow(j.profile(caps, profileStored, by))
		}
	}
}

// Assume is Recall, and takes of every endpoint that is left to accept schemas, or the
// transport that was given.
func Assume(list []Judge, by []*rubrics.Rubric, kept []Profile, store *Store) {
	Recall(list, by, kept, store)
	for i := range list {
		if j := &list[i]; j.Profile == nil && !j.Baseline {
			caps := &capability.Capabilities{Endpoint: bare(j.Endpoint), Kind: cmp.Or(j.Kind, llm.KindUnknown),
				Transport: llm.JSONSchema, Thinking: capability.None}
			j.follow(j.profile(caps, profileAssumed, by))
		}
	}
}

// recall follows the profile of a run that is taken up again.
func (j *Judge) recall(kept []Profile) bool {
	at := slices.IndexFunc(kept, func(p Profile) bool { return p.Judge == j.Name() })
	if at >= 0 {
		j.follow(kept[at])
	}
	return at >= 0
}

// Prepare finds out how each judge's endpoint has to be asked, and fixes it in the
// list: from the profiles that a run kept, from a stored profile that is fresh, or by a
// few small requests. A transport that the user gave takes the place of the one that
// was found, and of nothing else. The baseline needs none of it. The error is a
// *methodError, or the *llm.Error of an endpoint that cannot answer.
func Prepare(ctx context.Context, list []Judge, by []*rubrics.Rubric, kept []Profile, store *Store,
	note func(string)) error {
	if note == nil {
		note = func(string) {}
	}
	for i := range list {
		j := &list[i]
		if j.Baseline || j.recall(kept) {
			continue
		}
		p, err := j.probe(ctx, by, store, note)
		for _, base := range j.Endpoint.Replicas {
			if e, ok := errors.AsType[*llm.Error](err); !ok || e.Kind != llm.KindTransport {
				break
			}
			note(fmt.Sprintf("%v; asking the replica %s", err, base))
			other := *j
			other.Endpoint.BaseURL = base
			p, err = other.probe(ctx, by, store, note)
		}
		if err != nil {
			return err
		}
		j.follow(p)
	}
	return nil
}

// follow makes the judge ask in the way of a profile.
func (j *Judge) follow(p Profile) {
	j.Config.Transport, j.Config.CorrectionAsText, j.Kind = p.Transport, p.CorrectionAsText, p.Kind
	j.Config.Strict = p.Strict
	if p.Reasoning && !j.ReasoningGiven {
		j.Config.Reasoning = true
	}
	found := capability.Capabilities{Fields: p.Fields}
	if !j.sampled() {
		found.Temperature, found.TopP = p.Temperature, p.TopP
	}
	req := llm.Request{Extra: j.Config.Extra}
	found.Adapt(&req)
	j.Config.Extra, j.Config.LimitName = req.Extra, req.LimitName
	if j.overSlots(p.Slots) {
		j.Endpoint.Concurrency = p.Slots
	}
	j.Profile = &p
}

// overSlots reports whether the judge would send more at once than a server works on,
// though nobody requested that. More requests than slots only wait in line there, and
// push each other's prompts out of its cache.
func (j *Judge) overSlots(slots int) bool {
	n := j.Endpoint.Concurrency
	if n == 0 {
		n = client.DefaultConcurrency
	}
	return slots > 0 && n > slots && !j.ConcurrencyGiven
}

// probe takes the stored profile, or asks the endpoint.
func (j *Judge) probe(ctx context.Context, list []*rubrics.Rubric, store *Store, note func(string)) (Profile, error) {
	source := profileStored
	caps, err := j.stored(ctx, store)
	if err == nil && caps == nil {
		source = profileProbed
		caps, err = j.Examine(ctx, list, capability.ProbeConfig{Quick: true, Transport: j.Config.Transport})
	}
	if err != nil {
		return Profile{}, fmt.Errorf("judge %s: %w", j.Name(), err)
	}
	p := j.profile(caps, source, list)
	methodErr := j.checkMethod(ctx, caps, p.Transport)
	// Saving again would make what was stored younger; where no transport was found, only
	// the one that was given may work.
	if source == profileProbed && caps.Transport != "" {
		if err := store.Save(caps); err != nil {
			note(fmt.Sprintf("the profile of %s could not be kept: %v", j.Name(), err))
		}
	}
	if methodErr != nil {
		return Profile{}, methodErr
	}
	for _, line := range p.remarks(caps, j.overSlots(p.Slots)) {
		note(line)
	}
	return p, nil
}

func (j *Judge) profile(c *capability.Capabilities, source string, list []*rubrics.Rubric) Profile {
	p := Profile{
		Judge: j.Name(), Model: j.Config.Model, Endpoint: c.Endpoint, Kind: c.Kind, Version: c.Version,
		Transport: c.Transport, CorrectionAsText: c.CorrectionAsText(), Reasoning: c.Thinking != capability.None,
		ContextTokens: c.Context(), Slots: c.Slots, Source: source, BytesPerToken: c.BytesPerToken,
		Fields: c.Fields, Temperature: c.Temperature, TopP: c.TopP,
	}
	if given := j.Config.Transport; given != "" {
		p.Transport, p.TransportGiven = given, true
	}
	p.Strict = c.Strict == capability.Yes && p.Transport == llm.JSONSchema
	p.Unenforced = p.demands(list)
	return p
}

// demands are what the server does not hold answers by the rubrics to, where it is
// sent their schemas at all.
func (p *Profile) demands(list []*rubrics.Rubric) []unenforced {
	if p.Transport != llm.JSONSchema && p.Transport != llm.Tools {
		return nil
	}
	var out []unenforced
	for _, r := range list {
		schema := r.SentSchema()
		if p.CorrectionAsText {
			schema = r.SentSchemaText()
		}
		_, demands := llm.Lower(json.RawMessage(schema.JSON()), p.Kind, p.Strict)
		if len(demands) > 0 {
			out = append(out, unenforced{r.Name, demands})
		}
	}
	return out
}

// remarks are what a person should know before the run goes on; capped says that fewer
// requests are sent at once than usual.
func (p *Profile) remarks(c *capability.Capabilities, capped bool) []string {
	list := []remark{
		{p.Transport != llm.JSONSchema && !p.TransportGiven,
			fmt.Sprintf("structured output by %s: the endpoint takes nothing stricter; judge doctor says why",
				p.Transport)},
		{p.CorrectionAsText, "corrections are asked for as text: the endpoint does not fill open objects"},
		{p.Reasoning, fmt.Sprintf("the model thinks first; answers get %d tokens more", judges.DefaultReasoningTokens)},
	}
	for _, f := range p.Fields {
		list = append(list, remark{true, f.Words()})
	}
	if p.Temperature != nil {
		list = append(list, remark{true, fmt.Sprintf("temperature %g and top_p %g, because this family loops "+
			"when it thinks "+
			"at 0; a temperature in judge.yaml says otherwise", *p.Temperature, *p.TopP)})
	}
	list = append(list,
		remark{c.RubricPrompt == capability.Refused, "a first rubric's prompt was refused: " + c.RubricDetail},
		remark{c.RubricPrompt == capability.Ignored || c.RubricPrompt == capability.Truncated,
			"a first rubric's prompt got no score: " + c.RubricDetail},
		remark{p.ContextTokens > 0 && p.ContextTokens < capability.RoomForRecords,
			fmt.Sprintf("the context holds %d tokens, which is little; judge doctor says how to raise it",
				p.ContextTokens)},
		remark{c.Overlong == capability.Truncated,
			fmt.Sprintf("the server cuts prompts of more than %d tokens without an error",
				max(p.ContextTokens, c.Window))},
		remark{capped, fmt.Sprintf("requests in flight: %d, because the server works on no more at once; "+
			"--concurrency says otherwise", p.Slots)},
	)
	lines := holding(list)
	for i := range lines {
		lines[i] = "judge " + p.Judge + ": " + lines[i]
	}
	return lines
}
