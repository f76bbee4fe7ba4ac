package main

import (
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"runtime"
)

// redirectPage writes a file, readable only by this user, that redirects a browser to an address.
// Everybody on the machine can read a command line, so the token must not be there.
func redirectPage(address string) (path string, err error) {
	f, err := os.CreateTemp("", "judge-view-*.html") // 0600
	if err != nil {
		return "", err
	}
	to := html.EscapeString(address)
	_, err = fmt.Fprintf(f, `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">`+
		`<meta http-equiv="refresh" content="0; url=%s"><title>judge view</title><a href="%s">judge view</a>`+"\n", to, to)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// openBrowser asks the system to open a file.
func openBrowser(path string) error {
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	cmd := exec.Command(command[0], append(command[1:], path)...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
