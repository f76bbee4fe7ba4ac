package environment

import "syscall"

// endWithParent has the system kill the process when this one ends, kill -9 included.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
