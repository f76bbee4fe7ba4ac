//go:build unix && !linux

package environment

import "syscall"

// endWithParent has no means here; a program ends when its input does.
func endWithParent(*syscall.SysProcAttr) {}
