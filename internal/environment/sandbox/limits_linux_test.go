package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"syscall"
	"testing"
)

// TestMemory: the memory of a process is known, that of a process that does not exist is not.
func TestMemory(t *testing.T) {
	if size, resident := Memory("self"); resident <= 0 || size < resident {
		t.Errorf("%d bytes of address space, %d resident", size, resident)
	}
	if size, resident := Memory("none"); size != 0 || resident != 0 {
		t.Errorf("a process that does not exist has %d bytes, %d resident", size, resident)
	}
}

// showLimits limits the memory of this process to 1 GiB and prints its limits, and its size before.
func showLimits() int {
	size, _ := Memory("self")
	limitMemory(1<<30, os.Stderr)
	var most syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &most); err != nil {
		return 1
	}
	fmt.Println(size, most.Cur, most.Max, debug.SetMemoryLimit(-1))
	return 0
}

// TestLimits: the collector keeps to the limit, and the address space to twice the limit and 256 MiB more than it had.
func TestLimits(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, "__limits").Output()
	if err != nil {
		t.Fatal(err)
	}
	var size, soft, hard, heap int64
	if _, err := fmt.Sscan(string(out), &size, &soft, &hard, &heap); err != nil {
		t.Fatal(err)
	}
	const added, grown = 2<<30 + 256<<20, 128 << 20 // the process may grow until the limit is set
	if more := soft - size - added; more < 0 || more > grown || soft != hard || heap != 1<<30 {
		t.Errorf("of %d bytes the limits are %d, %d and %d", size, soft, hard, heap)
	}
}
