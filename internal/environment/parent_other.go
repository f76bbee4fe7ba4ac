//go:build unix && !linux

package environment

import "syscall"

// endWithParent does nothing here: a program ends when its input does.
func endWithParent(*syscall.SysProcAttr) {}
