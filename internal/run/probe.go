package run

import (
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
	"github.com/judgekit/judge/internal/llm/dialect"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// Profile is what a run relies on about one judge's endpoint: how structured output
// is asked for, and what is known of the server. It is part of run.json, and a
// resumed run goes by it without asking again.
type Profile struct {
	Judge     string        `json:"judge"`
	Model     string        `json:"model"`
	Endpoint  string        `json:"endpoint,omitempty"`
	Kind      llm.Kind      `json:"kind"`
	Version   string        `json:"version,omitempty"`
	Transport llm.Transport `json:"transport"`
	// CorrectionAsText says that the correction is asked for as a string.
	CorrectionAsText bool `json:"correction_as_text,omitempty"`
	// Strict says that schemas go out with strict set, which makes a hosted service
	// enforce them.
	Strict bool `json:"strict,omitempty"`
	// Reasoning says that answers get extra tokens because the model thinks first.
	Reasoning bool `json:"reasoning,omitempty"`
	// ContextTokens is the server's window, 0 where it is not known.
	ContextTokens int `json:"context_tokens,omitempty"`
	// Slots is how many requests the server works on at once, 0 where it does not tell.
	Slots int `json:"slots,omitempty"`
	// Unenforced says for each rubric which demands of its schema the server does not
	// hold an answer to: only the check of the answer does.
	Unenforced []Unenforced `json:"unenforced,omitempty"`
	// BytesPerToken is what the first replies of the run counted; 0 where they were not
	// asked for, or told nothing.
	BytesPerToken float64 `json:"bytes_per_token,omitempty"`
	// Source is "probed", or "stored" for the result of an earlier probe; "given" only
	// where nothing was found out. TransportGiven says that the user chose the transport.
	Source         string `json:"source"`
	TransportGiven bool   `json:"transport_given,omitempty"`
}

// Unenforced are demands of a rubric's schema that a kind of server does not enforce.
type Unenforced struct {
	Rubric string `json:"rubric"`
	// Demands are JSON pointers into the schema, each with what became of it.
	Demands []string `json:"demands"`
}

// The sources of a profile.
const (
	profileGiven  = "given"
	profileProbed = "probed"
	profileStored = "stored"
)

// ProfileMaxAge is how long a stored profile is believed: servers are restarted
// with other settings.
const ProfileMaxAge = 24 * time.Hour

// Recall is Prepare as far as that needs no request: profiles that are in the run's
// directory or are stored and fresh are followed, other judges stay as they are.
func Recall(plan *Plan, dir string, resume bool, store *ProfileStore) {
	for i := range plan.Judges {
		j := &plan.Judges[i]
		if j.Baseline || j.recall(dir, resume) {
			continue
		}
		if caps, ok := store.Load(bare(j.Endpoint), j.Config.Model); ok {
			j.follow(j.profile(caps, profileStored, plan.Rubrics))
		}
	}
}

// recall follows the profile of a run directory that is taken up again. A directory
// that cannot be resumed is refused by Execute, with its reason.
func (j *Judge) recall(dir string, resume bool) bool {
	if !resume {
		return false
	}
	m, err := ReadManifest(dir)
	if err != nil {
		return false
	}
	at := slices.IndexFunc(m.Profiles, func(p Profile) bool { return p.Judge == j.name() })
	if at >= 0 {
		j.follow(m.Profiles[at])
	}
	return at >= 0
}

// Prepare finds out how each judge's endpoint has to be asked, and fixes it in the
// plan: from run.json for a resumed run, from a stored profile that is fresh, or by a
// few small requests. A transport that the user gave takes the place of the one that
// was found, and of nothing else. The baseline needs none of it. The error is the
// *llm.Error of an endpoint that cannot answer.
func Prepare(ctx context.Context, plan *Plan, dir string, resume bool, store *ProfileStore, note func(string)) error {
	for i := range plan.Judges {
		j := &plan.Judges[i]
		if j.Baseline || j.recall(dir, resume) {
			continue
		}
		p, err := j.probe(ctx, plan.Rubrics, store, note)
		if err != nil {
			return err
		}
		j.follow(p)
	}
	return nil
}

func (j *Judge) name() string {
	if j.Config.Name != "" {
		return j.Config.Name
	}
	return j.Config.Model
}

func (j *Judge) kind() llm.Kind {
	if j.Kind == "" {
		return llm.KindUnknown
	}
	return j.Kind
}

// bare is an endpoint's URL without credentials, "" when it is none.
func bare(e client.Endpoint) string {
	c, err := client.New(e, client.Config{})
	if err != nil {
		return ""
	}
	defer c.Close()
	return c.BaseURL()
}

// follow makes the judge ask in the way of a profile.
func (j *Judge) follow(p Profile) {
	j.Config.Transport, j.Config.CorrectionAsText, j.Kind = p.Transport, p.CorrectionAsText, p.Kind
	j.Config.Strict = p.Strict
	if p.Reasoning && !j.ReasoningGiven {
		j.Config.Reasoning = true
	}
	if j.overSlots(p.Slots) {
		j.Endpoint.Concurrency = p.Slots
	}
	j.Profile = &p
}

// overSlots reports whether the judge would send more at once than a server works on,
// though nobody asked for that. More requests than slots only wait in line there, and
// push each other's prompts out of its cache.
func (j *Judge) overSlots(slots int) bool {
	n := j.Endpoint.Concurrency
	if n == 0 {
		n = client.DefaultConcurrency
	}
	return slots > 0 && n > slots && !j.ConcurrencyGiven
}

// probe takes the stored profile, or asks the endpoint.
func (j *Judge) probe(ctx context.Context, list []*rubrics.Rubric, store *ProfileStore, note func(string)) (Profile, error) {
	source := profileStored
	caps, ok := store.Load(bare(j.Endpoint), j.Config.Model)
	if !ok {
		source = profileProbed
		got, err := capability.Probe(ctx, j.Endpoint, j.Config.Model, client.Config{Kind: j.Kind}, capability.ProbeConfig{
			Quick: true, Transport: j.Config.Transport, Temperature: j.Config.Temperature, Extra: j.Config.Extra,
		})
		if err != nil {
			return Profile{}, fmt.Errorf("judge %s: %w", j.name(), err)
		}
		caps = got
	}
	p := j.profile(caps, source, list)
	methodErr := j.checkMethod(ctx, caps, p.Transport)
	// Saving again would make what was stored younger; where no transport was found, only
	// the one that was given is worth a try.
	if source == profileProbed && caps.Transport != "" {
		if err := store.Save(caps); err != nil && note != nil {
			note(fmt.Sprintf("the profile of %s could not be kept: %v", j.name(), err))
		}
	}
	if methodErr != nil {
		return Profile{}, methodErr
	}
	if note != nil {
		for _, line := range p.remarks(caps, j.overSlots(p.Slots)) {
			note(line)
		}
	}
	return p, nil
}

func (j *Judge) profile(c *capability.Capabilities, source string, list []*rubrics.Rubric) Profile {
	p := Profile{
		Judge: j.name(), Model: j.Config.Model, Endpoint: c.Endpoint, Kind: c.Kind, Version: c.Version,
		Transport: c.Transport, CorrectionAsText: c.CorrectionAsText(), Reasoning: c.Thinking != capability.None,
		ContextTokens: c.Context(), Slots: c.Slots, Source: source,
	}
	if given := j.Config.Transport; given != "" {
		p.Transport, p.TransportGiven = given, true
	}
	p.Strict = c.Strict == capability.Yes && p.Transport == llm.JSONSchema
	p.Unenforced = p.unenforced(list)
	return p
}

// unenforced is what the server does not hold answers by the rubrics to, where it is
// sent their schemas at all.
func (p *Profile) unenforced(list []*rubrics.Rubric) []Unenforced {
	if p.Transport != llm.JSONSchema && p.Transport != llm.Tools {
		return nil
	}
	var out []Unenforced
	for _, r := range list {
		schema := r.SentSchema()
		if p.CorrectionAsText {
			schema = r.SentSchemaText()
		}
		low := dialect.Lower(json.RawMessage(schema.JSON()), p.Kind, p.Strict)
		demands := low.Dropped
		for _, at := range low.Ignored {
			demands = append(demands, at+": sent, and not enforced there")
		}
		if len(demands) > 0 {
			out = append(out, Unenforced{r.Name, demands})
		}
	}
	return out
}

// remarks are what a person should know before the run goes on; capped says that fewer
// requests are sent at once than usual.
func (p *Profile) remarks(c *capability.Capabilities, capped bool) []string {
	var out []string
	say := func(format string, args ...any) {
		out = append(out, "judge "+p.Judge+": "+fmt.Sprintf(format, args...))
	}
	if p.Transport != llm.JSONSchema && !p.TransportGiven {
		say("structured output by %s: the endpoint takes nothing stricter; judge doctor says why", p.Transport)
	}
	if p.CorrectionAsText {
		say("corrections are asked for as text: the endpoint does not fill open objects")
	}
	if p.Reasoning {
		say("the model thinks first; answers get %d tokens more", judges.DefaultReasoningTokens)
	}
	if p.ContextTokens > 0 && p.ContextTokens < capability.RoomForRecords {
		say("the context holds %d tokens, which is little; judge doctor says how to raise it", p.ContextTokens)
	}
	if c.Overlong == capability.Truncated {
		say("the server cuts prompts of more than %d tokens without an error", max(p.ContextTokens, c.Window))
	}
	if capped {
		say("requests in flight: %d, because the server works on no more at once; --concurrency says otherwise", p.Slots)
	}
	return out
}

// ProfileStore keeps what probes found, one file for each endpoint and model. It
// holds no keys. A nil store, or one without a directory, keeps nothing.
type ProfileStore struct {
	Dir string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

const profileSchema = "judge.profile/v1"

type storedProfile struct {
	Schema       string                   `json:"schema"`
	Time         time.Time                `json:"time"`
	Capabilities *capability.Capabilities `json:"capabilities"`
}

// Path returns where the profile of a model at an endpoint lies, "" where nothing is
// kept. The URL must be without credentials, as Capabilities has it.
func (s *ProfileStore) Path(endpoint, model string) string {
	if s == nil || s.Dir == "" || endpoint == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(endpoint + "\n" + model))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:12])+".json")
}

// Load returns a profile that is not older than ProfileMaxAge. One that cannot be
// read counts as none.
func (s *ProfileStore) Load(endpoint, model string) (*capability.Capabilities, bool) {
	path := s.Path(endpoint, model)
	if path == "" {
		return nil, false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	var p storedProfile
	if json.Unmarshal(data, &p) != nil || p.Schema != profileSchema || p.Capabilities == nil {
		return nil, false
	}
	age := s.now().Sub(p.Time)
	c := p.Capabilities
	fresh := age >= 0 && age < ProfileMaxAge
	return c, fresh && c.Endpoint == endpoint && c.Model == model && slices.Contains(llm.Ladder(), c.Transport)
}

// Save keeps a profile.
func (s *ProfileStore) Save(c *capability.Capabilities) error {
	if c.Transport == "" {
		return errors.New("the probe did not come to its end")
	}
	path := s.Path(c.Endpoint, c.Model)
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
	return replace(path, append(data, '\n'))
}

func (s *ProfileStore) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}
