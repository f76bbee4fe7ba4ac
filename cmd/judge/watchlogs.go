package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
)

// watchName returns a name for a watch from the logs that it watches.
func watchName(patterns []string) (string, error) {
	var all []string
	for _, p := range patterns {
		path, err := filepath.Abs(p)
		if err != nil {
			return "", err
		}
		all = append(all, path)
	}
	sum := sha256.Sum256([]byte(strings.Join(all, "\x00")))
	return hex.EncodeToString(sum[:4]), nil
}

// watchedLogs returns the current logs. A folder or pattern may have none yet. Files that judge
// itself writes are not logs of an agent.
func (a *app) watchedLogs(patterns []string, out string) (logs []input.Log, err error) {
	for _, p := range patterns {
		found, err := a.openLogs([]string{p}, "")
		folder, _ := strings.CutSuffix(filepath.ToSlash(p), "/...")
		if info, statErr := os.Stat(folder); err != nil && (statErr == nil && info.IsDir() || strings.ContainsAny(p, "*?[")) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			if l.Once {
				return nil, usagef("watch %s: only files can be watched", l.Name)
			}
			_, ownErr := os.Stat(filepath.Join(filepath.Dir(l.Path), directory.ManifestFile))
			if ownErr != nil && !directory.Same(filepath.Dir(l.Path), out) {
				logs = append(logs, l)
			}
		}
	}
	return logs, nil
}
