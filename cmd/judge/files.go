package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	settingsfile "github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// openLogs turns the paths and patterns of a command line or configuration into logs. It expands
// quoted patterns itself. "-" is standard input. dir is a run directory that may hold copies of
// pipes, or "".
func (a *app) openLogs(paths []string, dir string) ([]input.Log, error) {
	var logs []input.Log
	for _, path := range paths {
		if copied := filepath.Join(dir, directory.SpoolFile(path)); dir != "" && there(copied) {
			l := a.log(copied)
			l.Name = path
			logs = append(logs, l)
			continue
		}
		found, err := expand(path)
		if err != nil {
			return nil, usage(err)
		}
		for _, name := range found {
			logs = append(logs, a.log(name))
		}
	}
	return logs, nil
}

// logPatterns match the names of logs in a folder.
var logPatterns = []string{"*.json*", "*.eval", "*.binpb", "*.zst"}

func isLogName(name string) bool {
	return slices.ContainsFunc(logPatterns, func(p string) bool {
		ok, _ := filepath.Match(p, name)
		return ok
	})
}

// expand returns the files that a path or pattern names. A folder means the logs directly in it,
// FOLDER/... also those in its subfolders.
func expand(path string) ([]string, error) {
	if path == "-" {
		return []string{path}, nil
	}
	if folder, ok := strings.CutSuffix(filepath.ToSlash(path), "/..."); ok {
		return folderLogs(folder, path, true)
	}
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return []string{path}, nil
	}
	if err == nil {
		return folderLogs(path, path, false)
	}
	found, err := filepath.Glob(path)
	if err != nil {
		return nil, fmt.Errorf("log %s: not a valid pattern: %w", path, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("log %s: no such file%s", path, spelling.MeantFile(path))
	}
	slices.Sort(found)
	return found, nil
}

// meant adds to the error about a missing file which one was most likely meant.
func meant(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return usagef("%w%s", err, spelling.MeantFile(path))
	}
	return usage(err)
}

// folderLogs returns the logs in a folder in lexical order, if deep also those in its subfolders.
// A directory of τ²-bench is one log. name is the folder as the user wrote it.
func folderLogs(folder, name string, deep bool) ([]string, error) {
	if format.IsTau2Directory(os.DirFS(folder)) {
		return []string{folder}, nil
	}
	var found []string
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
		at := filepath.Join(folder, filepath.FromSlash(path))
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && !deep:
			return fs.SkipDir
		case d.IsDir() && format.IsTau2Directory(os.DirFS(at)):
			found = append(found, at)
			return fs.SkipDir
		case !d.IsDir() && isLogName(d.Name()):
			found = append(found, at)
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("log %s: no such folder", name)
	case err != nil:
		return nil, fmt.Errorf("log %s: %w", name, err)
	case len(found) == 0:
		return nil, fmt.Errorf("log %s: the folder holds no %s file", folder, strings.Join(logPatterns, ", "))
	}
	return found, nil
}

// log returns the log in one file. Outcomes replayed for a τ-bench file are looked up in a folder
// "gold" beside the file's own folder.
func (a *app) log(name string) input.Log {
	if name == "-" {
		return input.Log{Name: name, Once: true, Open: func() (io.ReadCloser, error) { return io.NopCloser(a.in), nil }}
	}
	l := input.Log{Name: name, Path: name, Open: func() (io.ReadCloser, error) { return openLog(name) }}
	if info, err := os.Stat(name); err == nil {
		l.Once = !info.Mode().IsRegular() && !info.IsDir()
	}
	if gold := goldFile(name); gold != "" {
		l.Gold = func() (io.ReadCloser, error) { return os.Open(gold) }
	}
	return l
}

func openLog(name string) (io.ReadCloser, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return format.OpenTau2Directory(os.DirFS(name))
	}
	return os.Open(name)
}

func goldFile(name string) string {
	base := filepath.Base(name)
	stem, ok := strings.CutSuffix(strings.TrimSuffix(base, ".gz"), ".json")
	if !ok {
		return ""
	}
	for _, ending := range []string{".jsonl.gz", ".jsonl"} {
		path := filepath.Join(filepath.Dir(name), "..", "gold", stem+ending)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// maxWhole caps files that are read into memory, in bytes.
const maxWhole = 64 << 20

// readWhole reads a file into memory. The cap is for devices and pipes that never end.
func readWhole(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWhole+1))
	if err == nil && len(data) > maxWhole {
		err = fmt.Errorf("%s: longer than %d MiB", path, maxWhole>>20)
	}
	return data, err
}

// readTools reads a tool inventory: JSON or YAML in one of the forms of transcript.ParseToolFile,
// compressed or not. It notes tools that are defined twice.
func readTools(path string, note func(line string)) ([]transcript.Tool, error) {
	if path == "" {
		return nil, nil
	}
	data, err := readWhole(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("tools %s: no such file%s", path, spelling.MeantFile(path))
	}
	if err != nil {
		return nil, usagef("tools: %w", err)
	}
	if data, err = container.Unpacked(data); err != nil {
		return nil, usagef("tools %s: %w", path, err)
	}
	v, err := value.Parse(data)
	if ext := filepath.Ext(strings.TrimSuffix(path, ".gz")); err != nil && (ext == ".yaml" || ext == ".yml") {
		v, err = settingsfile.Parse(path, data)
	}
	var tools []transcript.Tool
	var repeated []string
	if err == nil {
		tools, repeated, err = format.ParseToolFile(v)
	}
	if err != nil {
		return nil, usagef("tools %s: %w", path, err)
	}
	if len(repeated) > 0 {
		note(value.VisibleLine(fmt.Sprintf("tools %s: %s more than once: the first definition counts", path,
			words.Some(slices.Compact(repeated), shownProblems))))
	}
	return tools, nil
}
