package sandbox

import (
	"fmt"
	"os"
	"syscall"
)

// headroom is the memory, in bytes, that the runtime may reserve in addition to the heap.
const headroom = 256 << 20

// limitAddressSpace limits the address space to the current size, twice the limit and some
// headroom, because the runtime reserves more than it uses. If the limit cannot be set, only the
// watchdog limits the process.
func limitAddressSpace(limit int64) {
	if size, _ := Memory("self"); size > 0 {
		most := uint64(size + 2*limit + headroom)
		_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: most, Max: most})
	}
}

// Memory returns the address space and the resident memory of a process in bytes; 0 if unknown.
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
