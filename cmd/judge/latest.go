package main

import (
	"os"
	"path/filepath"
	"strings"
)

// runsFolder holds the runs that no --out names, and latestName in it points to the newest.
const (
	runsFolder = "runs"
	latestName = "latest"
)

// pointLatest makes runs/latest point to a run directory in the folder runs. It is a
// symbolic link, replaced in one step, and a file with the directory's name where the
// system has no links. A directory of that name is left alone.
func pointLatest(dir string) error {
	folder, name := filepath.Split(filepath.Clean(dir))
	if filepath.Base(folder) != runsFolder || name == latestName {
		return nil
	}
	link := filepath.Join(folder, latestName)
	if info, err := os.Lstat(link); err == nil && info.IsDir() {
		return nil
	}
	tmp := filepath.Join(folder, "."+latestName+"-"+name)
	_ = os.Remove(tmp)
	if os.Symlink(name, tmp) == nil && os.Rename(tmp, link) == nil {
		return nil
	}
	_ = os.Remove(tmp)
	if err := os.WriteFile(tmp, []byte(name+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, link)
}

// runDirectory is the directory that a path to a run means: it follows runs/latest, so
// that the path stays right when a newer run takes the name.
func runDirectory(path string) string {
	if filepath.Base(path) != latestName {
		return path
	}
	name, err := os.Readlink(path)
	if err != nil {
		info, statErr := os.Stat(path)
		if statErr != nil || !info.Mode().IsRegular() {
			return path
		}
		data, readErr := os.ReadFile(path)
		if readErr != nil {
			return path
		}
		name = strings.TrimSpace(string(data))
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(path), name)
}

// latestOr is runs/latest where that leads to a run directory, else the directory.
func latestOr(dir string) string {
	link := filepath.Join(filepath.Dir(dir), latestName)
	if dir != "" && filepath.Base(filepath.Dir(dir)) == runsFolder && filepath.Clean(runDirectory(link)) == filepath.Clean(dir) {
		return link
	}
	return dir
}
