package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/run/directory"
)

// runsFolder holds runs without --out; latestName in it points to the newest.
const (
	runsFolder = "runs"
	latestName = "latest"
)

// latest makes runs/latest point to a run directory, and notes if it cannot.
func (a *app) latest(dir string) {
	if err := pointLatest(dir); err != nil {
		a.note(fmt.Sprintf("runs/latest does not point to this run: %v", err))
	}
}

// pointLatest makes runs/latest point to a run directory in the folder runs. It is a symbolic
// link, replaced in one step; on systems without links, a file with the directory's name. An
// existing directory of that name is kept, and so is a file that contains anything but the name
// of a run.
func pointLatest(dir string) error {
	folder, name := filepath.Split(filepath.Clean(dir))
	if filepath.Base(folder) != runsFolder || name == latestName {
		return nil
	}
	link := filepath.Join(folder, latestName)
	if info, err := os.Lstat(link); err == nil && info.IsDir() {
		return nil
	} else if err == nil && info.Mode()&fs.ModeSymlink == 0 && !namesRun(link) {
		return fmt.Errorf("%s is not a link or file that judge wrote: move it away", link)
	}
	tmp := filepath.Join(folder, "."+latestName+"-"+name)
	_ = os.Remove(tmp)
	if os.Symlink(name, tmp) == nil && os.Rename(tmp, link) == nil {
		return nil
	}
	_ = os.Remove(tmp)
	err := os.WriteFile(tmp, []byte(name+"\n"), 0o600)
	if err == nil {
		err = os.Rename(tmp, link)
	}
	if err != nil {
		_ = os.Remove(tmp)
	}
	return err
}

// namesRun reports whether [pointLatest] wrote this file: it has one line, the name of a
// directory beside it.
func namesRun(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxName {
		return false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	name := strings.TrimSpace(string(data))
	if name == "" || name != filepath.Base(name) {
		return false
	}
	info, err = os.Stat(filepath.Join(filepath.Dir(path), name))
	return err == nil && info.IsDir()
}

// maxName is longer than any file name, in bytes.
const maxName = 1 << 10

// runDirectory resolves the path to a run directory. It follows runs/latest, so that the path
// stays right if a newer run takes that name.
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

// latestOr returns runs/latest if it leads to dir, else dir.
func latestOr(dir string) string {
	link := filepath.Join(filepath.Dir(dir), latestName)
	inRuns := dir != "" && filepath.Base(filepath.Dir(dir)) == runsFolder
	if inRuns && filepath.Clean(runDirectory(link)) == filepath.Clean(dir) {
		return link
	}
	return dir
}

// claim checks that a run can be kept in a directory.
func (a *app) claim(dir string, resume bool) error {
	release, err := directory.Claim(dir, resume)
	if err == nil {
		a.atEnd(release)
	}
	return usage(err)
}

// enter changes to the directory in which a run was started, so that its relative paths name the
// same files, and returns the path of the run directory from there. If that directory is missing
// it stays: the paths may still exist.
func enter(started, dir string) (string, error) {
	here, err := os.Getwd()
	if err != nil || started == "" || started == here {
		return dir, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if os.Chdir(started) != nil {
		return dir, nil
	}
	return abs, nil
}

// newRunDirectory returns a name made of the time and a few random digits.
func newRunDirectory() string {
	return filepath.Join(runsFolder, time.Now().Format("20060102-150405")+"-"+fewDigits())
}

func fewDigits() string { return fmt.Sprintf("%04x", rand.IntN(1<<16)) }
