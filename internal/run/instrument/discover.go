package instrument

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/rubrics"
)

// Recall is the part of Discover that needs no request: it applies profiles that the run kept and
// fresh stored ones, and leaves other judges unchanged. The error is a *MethodError.
func Recall(list []Judge, by []*rubrics.Rubric, kept []Profile, store *Store) error {
	for i := range list {
		j := &list[i]
		if j.Baseline || j.recall(kept) {
			continue
		}
		caps := store.load(bare(j.Endpoint), j.Config.Model, j.Settings())
		if caps == nil {
			continue
		}
		p := j.profile(caps, profileStored, by)
		if err := j.lacks(caps, p.Transport); err != nil {
			return err
		}
		j.follow(p)
	}
	return nil
}

// Assume is like Recall, but assumes that every remaining endpoint accepts schemas, or the
// transport that was given. The error is a *MethodError.
func Assume(list []Judge, by []*rubrics.Rubric, kept []Profile, store *Store) error {
	if err := Recall(list, by, kept, store); err != nil {
		return err
	}
	for i := range list {
		if j := &list[i]; j.Profile == nil && !j.Baseline {
			caps := &capability.Capabilities{Endpoint: bare(j.Endpoint), Kind: cmp.Or(j.Kind, llm.KindUnknown),
				Transport: llm.JSONSchema, Thinking: capability.None}
			j.follow(j.profile(caps, profileAssumed, by))
		}
	}
	return nil
}

// recall applies the profile of a resumed run.
func (j *Judge) recall(kept []Profile) bool {
	at := slices.IndexFunc(kept, func(p Profile) bool { return p.Judge == j.Name() })
	if at >= 0 {
		j.follow(kept[at])
	}
	return at >= 0
}

// Discover finds out how each judge's endpoint must be asked, and applies that to the list: from
// the profiles that a run kept, from a fresh stored profile, or by a few small requests. A
// transport that the user gave replaces only the transport that was found. The baseline needs no
// discovery. The error is a *MethodError, or the *llm.Error of an endpoint that cannot answer.
func Discover(ctx context.Context, list []Judge, by []*rubrics.Rubric, kept []Profile, store *Store,
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

// follow applies a profile to the judge.
func (j *Judge) follow(p Profile) {
	j.Config.Transport, j.Config.CorrectionAsText, j.Kind = p.Transport, p.CorrectionAsText, p.Kind
	j.Config.Strict, j.Config.Answers = p.Strict, p.Answers
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

// overSlots reports whether the judge would send more requests at once than the server can work on,
// although the user did not ask for that. The surplus requests only wait in line, and push each
// other's prompts out of the server's cache.
func (j *Judge) overSlots(slots int) bool {
	n := cmp.Or(j.Endpoint.Concurrency, client.DefaultConcurrency)
	return slots > 0 && n > slots && !j.ConcurrencyGiven
}

// probe returns the stored profile, or asks the endpoint.
func (j *Judge) probe(ctx context.Context, list []*rubrics.Rubric, store *Store, note func(string)) (Profile, error) {
	source := profileStored
	caps, err := j.stored(ctx, store)
	if err == nil && caps == nil {
		source = profileProbed
		note(fmt.Sprintf("judge %s: asking the server what it supports", j.Name()))
		caps, err = j.ask(ctx, list, capability.ProbeConfig{Quick: true, Transport: j.Config.Transport})
	}
	if err != nil {
		return Profile{}, fmt.Errorf("judge %s: %w", j.Name(), err)
	}
	p := j.profile(caps, source, list)
	methodErr := j.checkMethod(ctx, caps, p.Transport)
	// Saving a stored profile again would make it look younger. Without a transport, only the one
	// that the user gave may work.
	if source == profileProbed && caps.Transport != "" {
		if err := store.Save(caps); err != nil {
			note(fmt.Sprintf("the profile of %s could not be kept: %v", j.Name(), err))
		}
	}
	if methodErr != nil {
		return Profile{}, methodErr
	}
	for _, line := range caps.Advice(p.TransportGiven) {
		note("judge " + p.Judge + ": " + line)
	}
	if j.overSlots(p.Slots) {
		note(fmt.Sprintf("judge %s: requests in flight: %d, because the server works on no more at once; "+
			"--concurrency says otherwise", p.Judge, p.Slots))
	}
	return p, nil
}

func (j *Judge) profile(c *capability.Capabilities, source string, list []*rubrics.Rubric) Profile {
	p := Profile{
		Judge: j.Name(), Model: j.Config.Model, Endpoint: c.Endpoint, Kind: c.Kind, Version: c.Version,
		Transport: c.Transport, CorrectionAsText: c.CorrectionAsText(), Reasoning: c.Thinking != capability.None,
		ContextTokens: c.Context(), Slots: c.Slots, Source: source, BytesPerToken: c.BytesPerToken,
		Fields: c.Fields, Temperature: c.Temperature, TopP: c.TopP, Answers: c.RubricPrompt == capability.Yes,
	}
	if given := j.Config.Transport; given != "" {
		p.Transport, p.TransportGiven = given, true
	}
	p.Strict = c.Strict == capability.Yes && p.Transport == llm.JSONSchema
	p.Unenforced = p.demands(list)
	return p
}

// demands returns which demands of the rubrics' schemas the server does not enforce, if schemas are
// sent to it at all.
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

// Profile holds what a run knows about one judge's endpoint: how to ask for structured output, and
// facts about the server. It is part of run.json, and a resumed run uses it without asking again.
type Profile struct {
	Judge     string        `json:"judge"`
	Model     string        `json:"model"`
	Endpoint  string        `json:"endpoint,omitempty"`
	Kind      llm.Kind      `json:"kind"`
	Version   string        `json:"version,omitempty"`
	Transport llm.Transport `json:"transport"`
	// CorrectionAsText says that the model is asked for the correction as a string.
	CorrectionAsText bool `json:"correction_as_text,omitempty"`
	// Strict says that schemas are sent with strict: true, which makes a hosted service enforce them.
	Strict bool `json:"strict,omitempty"`
	// Reasoning says that answers get extra tokens, because the model thinks first.
	Reasoning bool `json:"reasoning,omitempty"`
	// Fields lists the request members that the server refused, and what we do about each.
	// Temperature and TopP are the sampling settings of a model that repeats itself at 0.
	Fields      []capability.FieldChange `json:"fields,omitempty"`
	Temperature *float64                 `json:"temperature,omitempty"`
	TopP        *float64                 `json:"top_p,omitempty"`
	// ContextTokens is the server's window; 0 if unknown.
	ContextTokens int `json:"context_tokens,omitempty"`
	// MeasuredTokens is the length of the prompt that measured the window before the first judgement; 0 if it was
	// not measured. If it was, ContextTokens is the result: 0 means that the server counted the whole prompt.
	MeasuredTokens int `json:"measured_tokens,omitempty"`
	// Slots is the number of requests that the server works on at once; 0 if it does not report it.
	Slots int `json:"slots,omitempty"`
	// Unenforced lists, for each rubric, the demands of its schema that the server does not
	// enforce. Only the check of the answer does.
	Unenforced []unenforced `json:"unenforced,omitempty"`
	// Answers says that a rubric's prompt was answered by an object with a score.
	Answers bool `json:"answers,omitempty"`
	// BytesPerToken is computed from the token counts of the first replies; 0 if the server was not
	// asked or counted nothing.
	BytesPerToken float64 `json:"bytes_per_token,omitempty"`
	// Source is "probed", "stored" for the result of an earlier probe, or "assumed" if the endpoint
	// could not be asked. TransportGiven says that the user chose the transport.
	Source         string `json:"source"`
	TransportGiven bool   `json:"transport_given,omitempty"`
}

// unenforced lists the demands of a rubric's schema that a kind of server does not enforce.
type unenforced struct {
	Rubric string `json:"rubric"`
	// Demands are JSON Pointers into the schema, each with what was done to it.
	Demands []string `json:"demands"`
}

// The sources of a profile.
const (
	profileProbed = "probed"
	profileStored = "stored"
	// profileAssumed is the source for an endpoint that cannot be asked, such as a runner of batch files.
	profileAssumed = "assumed"
)

// MaxAge limits how long a stored profile is used, because servers are restarted with other settings.
const MaxAge = 24 * time.Hour

// Store keeps the results of probes, one file for each endpoint, model and settings. It holds no
// keys. A nil store, or one without a directory, keeps nothing.
type Store struct {
	Dir string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

const profileSchema = "judge.profile/v2"

type storedProfile struct {
	Schema       string                   `json:"schema"`
	Time         time.Time                `json:"time"`
	Capabilities *capability.Capabilities `json:"capabilities"`
}

// Path returns the file with the profile of a model at an endpoint under some settings; "" if
// nothing is kept. The URL must be without credentials, as in Capabilities.
func (s *Store) Path(endpoint, model, settings string) string {
	if s == nil || s.Dir == "" || endpoint == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(endpoint + "\n" + model + "\n" + settings))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:12])+".json")
}

// load returns a profile that is not older than MaxAge; nil if none or it cannot be read.
func (s *Store) load(endpoint, model, settings string) *capability.Capabilities {
	var p storedProfile
	data, err := os.ReadFile(s.Path(endpoint, model, settings))
	if err != nil || json.Unmarshal(data, &p) != nil || p.Schema != profileSchema || p.Capabilities == nil {
		return nil
	}
	age, c := s.now().Sub(p.Time), p.Capabilities
	if age < 0 || age >= MaxAge || c.Endpoint != endpoint || c.Model != model || c.Settings != settings ||
		!slices.Contains(llm.Ladder(), c.Transport) {
		return nil
	}
	return c
}

// Save stores a profile.
func (s *Store) Save(c *capability.Capabilities) error {
	if c.Transport == "" {
		return errors.New("the probe did not finish")
	}
	path := s.Path(c.Endpoint, c.Model, c.Settings)
	if path == "" {
		return nil
	}
	data, err := json.MarshalIndent(storedProfile{profileSchema, s.now().UTC(), c}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	tmp := path + ".tmp"
	if err = os.WriteFile(tmp, append(data, '\n'), 0o644); err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}

func (s *Store) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}
