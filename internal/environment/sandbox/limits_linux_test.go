package sandbox

import "testing"

// TestMemory: the memory of a process is known, that of a process that does not exist is not.
func TestMemory(t *testing.T) {
	if size, resident := Memory("self"); resident <= 0 || size < resident {
		t.Errorf("%d bytes of address space, %d resident", size, resident)
	}
	if size, resident := Memory("none"); size != 0 || resident != 0 {
		t.Errorf("a process that does not exist has %d bytes, %d resident", size, resident)
	}
}
