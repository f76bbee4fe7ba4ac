package schema

import (
	"net/netip"
	"regexp"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// asserted holds the formats that are checked besides addresses, with stricter rules than the
// library's: no signs among the digits of a time, no name or comments around an address, and in a
// URI only the characters that are allowed there.
var asserted = map[string]*regexp.Regexp{
	"date":      nil,
	"date-time": regexp.MustCompile(`^.{10}[Tt]` + clock),
	"time":      regexp.MustCompile(`^` + clock),
	"email":     regexp.MustCompile(`^("(?:[^"\\]|\\.)+"|[^\s"(),:;<>@[\]\\]+)@\S+$`),
	"uri":       regexp.MustCompile(`^[A-Za-z](?:[-A-Za-z0-9._~:/?#@!$&'()*+,;=[\]]|%[0-9A-Fa-f]{2})*$`),
	"uuid":      nil,
}

const clock = `[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[-+][0-9]{2}:[0-9]{2})$`

// formatChecks returns the check for every format that the library knows: real ones for the eight
// that are asserted; the rest count as unknown.
func formatChecks(ignore bool) map[string]func(any) bool {
	checks := make(map[string]func(any) bool, len(jsonschema.Formats))
	for name, check := range jsonschema.Formats {
		shape, known := asserted[name]
		checks[name] = func(v any) bool {
			s, ok := v.(string)
			return ignore || !ok || !known || (shape == nil || shape.MatchString(s)) && check(v)
		}
	}
	if !ignore {
		checks["ipv4"] = isAddress(netip.Addr.Is4)
		checks["ipv6"] = isAddress(netip.Addr.Is6)
	}
	return checks
}

// isAddress checks an address without a zone; leading zeros are not allowed.
func isAddress(ofKind func(netip.Addr) bool) func(any) bool {
	return func(v any) bool {
		s, ok := v.(string)
		addr, err := netip.ParseAddr(s)
		return !ok || err == nil && ofKind(addr) && addr.Zone() == ""
	}
}
