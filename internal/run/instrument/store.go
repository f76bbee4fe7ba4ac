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

// MaxAge is how long a stored profile is believed: servers are restarted
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

// Path returns where the profile of a model at an endpoint under some settings lies, ""
// where nothing is kept. The URL must be without credentials, as Capabilities has it.
func (s *Store) Path(endpoint, model, settings string) string {
	if s == nil || s.Dir == "" || endpoint == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(endpoint + "\n" + model + "\n" + settings))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:12])+".json")
}

// Load returns a profile that is not older than MaxAge. One that cannot be
// read counts as none.
func (s *Store) Load(endpoint, model, settings string) (*capability.Capabilities, bool) {
	path := s.Path(endpoint, model, settings)
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
	fresh := age >= 0 && age < MaxAge
	return c, fresh && c.Endpoint == endpoint && c.Model == model && c.Settings == settings && slices.Contains(llm.Ladder(), c.Transport)
}

// Save keeps a profile.
func (s *Store) Save(c *capability.Capabilities) error {
	if c.Transport == "" {
		return errors.New("the probe did not come to its end")
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
