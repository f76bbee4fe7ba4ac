//go:build !unix

package environment

import "os/exec"

// EndsChildren says whether the programs that an environment's program started end with it.
const EndsChildren = false

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
