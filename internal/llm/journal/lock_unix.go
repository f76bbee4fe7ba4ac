//go:build unix && !solaris && !illumos && !aix

package journal

import (
	"os"
	"syscall"
)

// Locks reports whether Lock keeps other processes out.
const Locks = true

// Lock takes an exclusive advisory lock, which is released when the file is closed or the process
// ends.
func Lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
