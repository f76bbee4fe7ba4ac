//go:build unix

package environment

import (
	"os/exec"
	"syscall"
)

// EndsChildren says whether the programs that an environment's program started end with it.
const EndsChildren = true

// ownGroup puts the process into its own group, so that what it starts ends with it and the
// terminal's signals do not reach it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)
}

// killGroup kills the process and its group. A process that has ended already is
// fine.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Process.Kill()
}
