package instrument

import (
	"context"
	"errors"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Examine probes the judge's endpoint with the settings of the judge's own requests,
// and with one prompt of its first rubric.
func (j *Judge) Examine(ctx context.Context, list []*rubrics.Rubric, depth capability.ProbeConfig) (*capability.Capabilities, error) {
	first, err := j.sample(list, judges.Config{})
	if err != nil {
		return nil, err
	}
	depth.Request, depth.Settings = first, j.Settings()
	depth.TemperatureGiven = j.sampled()
	depth.Rubric = func(transport llm.Transport, asText, strict bool) (llm.Request, error) {
		return j.sample(list, judges.Config{Transport: transport, CorrectionAsText: asText, Strict: strict})
	}
	return capability.Probe(ctx, j.Endpoint, j.Config.Model, client.Config{Kind: j.Kind}, depth)
}

// stored is the profile that was kept, as the server is now; nil where there is none,
// or none that still holds. One without any constraint on answers is not relied on:
// what the advice to it says may have been done since.
func (j *Judge) stored(ctx context.Context, store *Store) (*capability.Capabilities, error) {
	caps, ok := store.Load(bare(j.Endpoint), j.Config.Model, j.Settings())
	if !ok || caps.Transport == llm.JSONObject || caps.Transport == llm.PromptOnly {
		return nil, nil
	}
	first, err := j.sample(nil, judges.Config{})
	if err != nil {
		return nil, err
	}
	now, holds, err := capability.Check(ctx, j.Endpoint, caps, client.Config{Kind: j.Kind}, capability.ProbeConfig{Request: first, Settings: j.Settings(), TemperatureGiven: true})
	if err != nil || !holds {
		return nil, err
	}
	return now, nil
}

// Settings names what of the judge decides how an endpoint takes its requests, beside
// the model. It holds no value from the environment.
func (j *Judge) Settings() string {
	c := &j.Config
	temperature := value.Value{}
	if c.Temperature != nil {
		temperature = value.OfFloat(*c.Temperature)
	}
	members := []value.Value{
		temperature, value.OfInt(c.Seed), value.OfInt(int64(c.MaxTokens)), value.OfBool(c.Reasoning), value.OfInt(int64(c.ReasoningTokens)),
		value.OfString(string(c.Method)), value.OfBool(c.Prompt.ExamplesInSystem),
	}
	for _, f := range c.Extra {
		members = append(members, value.OfString(f.Name), value.OfString(string(f.Value)))
	}
	for _, list := range [][]client.Param{j.Endpoint.Headers, j.Endpoint.Query} {
		for _, p := range list {
			shown := ""
			if p.Plain {
				shown = p.Value.Reveal()
			}
			members = append(members, value.OfString(p.Name), value.OfString(shown))
		}
	}
	return value.OfList(members...).Canonical()
}

// sampled reports whether the judge is sampled as the user chose, or not greedily anyway.
func (j *Judge) sampled() bool {
	req := llm.Request{Extra: j.Config.Extra}
	return j.Config.Temperature != nil || req.Overrides("temperature") || j.Config.Method == judges.SelfConsistency
}

// sample is the request that the judge would send about a small call, in the manner of
// how.
func (j *Judge) sample(list []*rubrics.Rubric, how judges.Config) (llm.Request, error) {
	cfg := j.Config
	cfg.Rubrics, cfg.Modes = list, nil
	if len(list) > 0 {
		cfg.Rubrics = list[:1]
	}
	cfg.Transport, cfg.CorrectionAsText, cfg.Strict = how.Transport, how.CorrectionAsText, how.Strict
	judge, err := judges.New(silent{}, cfg)
	if err != nil {
		return llm.Request{}, err
	}
	req, err := judge.Request(judge.Rubrics()[0].Name, sampleConversation(), 0)
	req.Logprobs, req.TopLogprobs = false, 0 // checkMethod asks for them
	return req, err
}

// silent answers nothing: a sample is only rendered.
type silent struct{}

func (silent) Do(context.Context, llm.Request) (*llm.Response, error) {
	return nil, errors.New("a sample is not sent")
}

// sampleConversation is a customer's question with the one call that answers it.
func sampleConversation() *transcript.Conversation {
	arguments := value.OfObject(value.Member{Key: "parcel", Value: value.OfString("P-204")})
	parameters, _ := value.ParseString(`{"type":"object","properties":{"parcel":{"type":"string"}},"required":["parcel"]}`)
	return &transcript.Conversation{
		ID:    "probe",
		Tools: []transcript.Tool{{Name: "track_parcel", Description: "Tells where a parcel is", Parameters: parameters}},
		Messages: []transcript.Message{
			{Role: transcript.User, Content: "Where is parcel P-204?"},
			{Role: transcript.Assistant, Calls: []int{0}},
		},
		Calls: []transcript.Call{{ID: "1", Name: "track_parcel", Arguments: arguments, RawArguments: arguments.JSON(), Message: 1, Result: -1}},
	}
}
