package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// file is removed when it is closed, unless it was before.
type file struct {
	*os.File
	named bool
}

const suffix = ".tmp"

// create makes a file without a name, in the first directory that takes one.
func (x *Index) create() (*file, error) {
	var errs []error
	for _, dir := range x.cfg.Dirs {
		f, err := os.CreateTemp(dir, x.cfg.Name+"-*"+suffix)
		if err == nil {
			return &file{File: f, named: remove(f.Name()) != nil}, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("index: no place for its files; make one of these directories writable: %w", errors.Join(errs...))
}

// Close closes the file and sees that nothing is left of it.
func (f *file) Close() error {
	err := f.File.Close()
	if f.named {
		err = errors.Join(err, remove(f.Name()))
	}
	return err
}

// remove takes a name away; one that is not there is no error.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// RemoveLeft removes the files of the name that killed processes left in a directory:
// whole ones on Windows, elsewhere at most an empty one. Those that cannot be removed,
// because they are in use, stay.
func RemoveLeft(dir, name string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // whoever needs the directory will say so
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), name+"-") && strings.HasSuffix(e.Name(), suffix) {
			_ = remove(filepath.Join(dir, e.Name()))
		}
	}
}
