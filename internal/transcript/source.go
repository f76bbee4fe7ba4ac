package transcript

import "fmt"

func (s Source) place() string {
	if s.Line > 0 {
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	return fmt.Sprintf("%s[%d]", s.File, s.Index)
}
