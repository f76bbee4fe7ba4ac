package journal

import (
	"os"

	"golang.org/x/sys/windows"
)

// Locks says whether Lock keeps other processes out.
const Locks = true

// Lock takes an exclusive lock that ends with the file or process. Locks
// are mandatory here, so a byte far behind any record is locked: readers of the
// records are not disturbed.
func Lock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
}
