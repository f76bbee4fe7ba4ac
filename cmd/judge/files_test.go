package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/judgekit/judge/internal/transcript/format"
)

// TestAnchor: judge view opens a log where it was, whatever folder is entered later; a
// directory of τ² as the one log that it is.
func TestAnchor(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"tau2/results.json":       `{"tasks":[],"simulations":[]}`,
		"tau2/simulations/1.json": `{"id":"s","task_id":"1","messages":[]}`,
	} {
		_ = os.MkdirAll(filepath.Dir(name), 0o700)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !format.IsTau2Directory(os.DirFS("tau2")) {
		t.Fatal("no directory of τ²: the test does not test")
	}
	a := &app{}
	log := a.log("tau2")
	a.anchor(&log)
	t.Chdir(t.TempDir())
	in, err := log.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.Read(make([]byte, 1)); err != nil || log.Name != "tau2" {
		t.Errorf("%s: %v", log.Name, err)
	}
}
