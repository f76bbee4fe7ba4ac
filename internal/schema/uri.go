package schema

import "strings"

// isURI checks an RFC 3986 URI with a scheme.
func isURI(s string) bool {
	scheme, rest, found := strings.Cut(s, ":")
	if !found || scheme == "" || !isAlnum(scheme[0]) || scheme[0] <= '9' {
		return false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !isAlnum(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	if !uriChars(fragment, pathChars+"/?") || !uriChars(query, pathChars+"/?") {
		return false
	}
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		host := authority
		if slash := strings.IndexByte(authority, '/'); slash >= 0 {
			host, rest = authority[:slash], authority[slash:]
		} else {
			rest = ""
		}
		if !isAuthority(host) {
			return false
		}
	}
	return uriChars(rest, pathChars+"/")
}

const pathChars = "-._~!$&'()*+,;=:@"

// uriChars reports whether s consists of letters, digits, %XX and the given
// characters.
func uriChars(s, allowed string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isAlnum(c):
		case c == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
			i += 2
		case strings.IndexByte(allowed, c) < 0:
			return false
		}
	}
	return true
}

// isAuthority checks "user@host:port".
func isAuthority(s string) bool {
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		if !uriChars(s[:at], "-._~!$&'()*+,;=:") {
			return false
		}
		s = s[at+1:]
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		address, port, closed := strings.Cut(inner, "]")
		return closed && isIPv6(address) && isPort(port)
	}
	host, port := s, ""
	if colon := strings.IndexByte(s, ':'); colon >= 0 {
		host, port = s[:colon], s[colon:]
	}
	return uriChars(host, "-._~!$&'()*+,;=") && isPort(port)
}

func isPort(s string) bool {
	if s == "" {
		return true
	}
	if s[0] != ':' {
		return false
	}
	return strings.Trim(s[1:], "0123456789") == ""
}
