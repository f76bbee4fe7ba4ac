//go:build unix && !solaris && !illumos && !aix

package journal

import (
	"os"
	"syscall"
)

// Locks says whether Lock keeps other processes out.
const Locks = true

// Lock takes an exclusive advisory lock that ends with the file or process.
func Lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
