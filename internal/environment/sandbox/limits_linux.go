package sandbox

import (
	"fmt"
	"os"
	"syscall"
)

// headroom holds what the runtime may reserve beside the heap.
const headroom = 256 << 20

// limitAddressSpace bounds the address space to what the process has now, twice
// the limit and some headroom: the runtime reserves more than it uses. If the
// limit cannot be set, only the watchdog limits.
func limitAddressSpace(limit int64) {
	if size, _ := Memory("self"); size > 0 {
		most := uint64(size + 2*limit + headroom)
		_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most})
	}
}

// Memory returns the address space and the resident memory of a process in bytes, 0
// if they are not known.
func Memory(pid string) (size, resident int64) {
	statm, err := os.ReadFile("/proc/" + pid + "/statm")
	if err != nil {
		return 0, 0
	}
	if _, err := fmt.Sscan(string(statm), &size, &resident); err != nil {
		return 0, 0
	}
	page := int64(os.Getpagesize())
	return size * page, resident * page
}
