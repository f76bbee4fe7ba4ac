package journal

import (
	"os"

	"golang.org/x/sys/windows"
)

// Locks reports whether Lock keeps other processes out.
const Locks = true

// Lock takes an exclusive lock, which is released when the file is closed or the process ends.
// Locks are mandatory on Windows, so it locks a byte far beyond the records, and readers are not
// disturbed.
func Lock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	return windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
}
