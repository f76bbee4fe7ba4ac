package instrument

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
)

// Profile is what a run relies on about one judge's endpoint: how structured output
// is asked for, and what is known of the server. It is part of run.json, and a
// resumed run uses it without asking again.
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
	// Fields are the members of a request that the server refused, and what is done about
	// each; Temperature and TopP are what the model is sampled at because it loops at 0.
	Fields      []capability.FieldChange `json:"fields,omitempty"`
	Temperature *float64                 `json:"temperature,omitempty"`
	TopP        *float64                 `json:"top_p,omitempty"`
	// ContextTokens is the server's window, 0 where it is not known.
	ContextTokens int `json:"context_tokens,omitempty"`
	// MeasuredTokens is the length of the prompt by which the window was measured, before
	// the first judgement, 0 where it was not: ContextTokens is then what was found, and 0
	// where that prompt was counted in full.
	MeasuredTokens int `json:"measured_tokens,omitempty"`
	// Slots is how many requests the server works on at once, 0 where it does not report it.
	Slots int `json:"slots,omitempty"`
	// Unenforced says for each rubric which demands of its schema the server does not
	// hold an answer to: only the check of the answer does.
	Unenforced []unenforced `json:"unenforced,omitempty"`
	// BytesPerToken is what the first replies of the run counted; 0 where they were not
	// asked for, or counted nothing.
	BytesPerToken float64 `json:"bytes_per_token,omitempty"`
	// Source is "probed", "stored" for the result of an earlier probe, or "assumed" where
	// the endpoint could not be asked. TransportGiven
	// says that the user chose the transport.
	Source         string `json:"source"`
	TransportGiven bool   `json:"transport_given,omitempty"`
}

// unenforced are demands of a rubric's schema that a kind of server does not enforce.
type unenforced struct {
	Rubric string `json:"rubric"`
	// Demands are JSON pointers into the schema, each with what was done to it.
	Demands []string `json:"demands"`
}

// The sources of a profile.
const (
	profileProbed = "probed"
	profileStored = "stored"
	// profileAssumed is that of an endpoint that cannot be asked, as of a runner of batch
	// files.
	profileAssumed = "assumed"
)

// MaxAge is how long a stored profile is used: servers are restarted
// with other settings.
const MaxAge = 24 * time.Hour

// Store keeps what probes found, one file for each endpoint, model and settings. It
// holds no keys. A nil store, or one without a directory, keeps nothing.
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

// Path returns where the profile of a model at an endpoint under some settings is, ""
// where nothing is kept. The URL must be without credentials, as Capabilities has it.
func (s *Store) Path(endpoint, model, settings string) string {
	if s == nil || s.Dir == "" || endpoint == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(endpoint + "\n" + model + "\n" + settings))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:12])+".json")
}

// load returns a profile that is not older than MaxAge, nil where there is none or it
// cannot be read.
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

// Save keeps a profile.
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
	if err := os.WriteFile(tmp, append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

func (s *Store) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}
