package schema

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// formatChecks returns the check of every format that the library knows: ours for
// the eight that are asserted, none for the rest, which count as unknown.
func formatChecks(ignore bool) map[string]func(any) bool {
	checks := make(map[string]func(any) bool, len(jsonschema.Formats))
	for name := range jsonschema.Formats {
		checks[name] = func(any) bool { return true }
	}
	if ignore {
		return checks
	}
	for name, check := range map[string]func(string) bool{
		"date": isDate, "date-time": isDateTime, "time": isTime, "email": isEmail,
		"ipv4": isIPv4, "ipv6": isIPv6, "uuid": isUUID, "uri": isURI,
	} {
		checks[name] = func(v any) bool {
			s, ok := v.(string)
			return !ok || check(s)
		}
	}
	return checks
}

// number2 reads two digits at the head of s, -1 where there are none.
func number2(s string) int {
	if len(s) < 2 || s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9' {
		return -1
	}
	return int(s[0]-'0')*10 + int(s[1]-'0')
}

// isDate checks RFC 3339 full-date.
func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	century, year, month, day := number2(s), number2(s[2:]), number2(s[5:]), number2(s[8:])
	if century < 0 || year < 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	days := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
	full := century*100 + year
	if month == 2 && full%4 == 0 && (full%100 != 0 || full%400 == 0) {
		days = 29
	}
	return day <= days
}

// isDateTime checks RFC 3339 date-time.
func isDateTime(s string) bool {
	return len(s) > 11 && (s[10] == 'T' || s[10] == 't') && isDate(s[:10]) && isTime(s[11:])
}

// isTime checks RFC 3339 full-time. Second 60 is a leap second, which falls on
// 23:59:60 UTC only.
func isTime(s string) bool {
	if len(s) < 9 || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, minute, second := number2(s), number2(s[3:]), number2(s[6:])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 {
		return false
	}
	rest := s[8:]
	if rest[0] == '.' {
		digits := 1
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		if digits == 1 {
			return false
		}
		rest = rest[digits:]
	}
	offset, ok := zoneMinutes(rest)
	if !ok {
		return false
	}
	utc := (hour*60 + minute - offset + 2*24*60) % (24 * 60)
	return second < 60 || utc == 23*60+59
}

// zoneMinutes reads "Z" or a numeric offset.
func zoneMinutes(s string) (int, bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != 6 || (s[0] != '+' && s[0] != '-') || s[3] != ':' {
		return 0, false
	}
	hour, minute := number2(s[1:]), number2(s[4:])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return 0, false
	}
	if s[0] == '-' {
		return -(hour*60 + minute), true
	}
	return hour*60 + minute, true
}

// isEmail checks an RFC 5321 mailbox: a dot-atom or a quoted local part of at most
// 64 bytes, and a host name or an address in brackets.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 254 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	return isLocalPart(local) && (isHost(domain) || isAddressLiteral(domain))
}

func isLocalPart(s string) bool {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		inner := s[1 : len(s)-1]
		for i := 0; i < len(inner); i++ {
			if inner[i] == '\\' {
				i++
				if i == len(inner) {
					return false
				}
			} else if inner[i] == '"' || inner[i] < ' ' || inner[i] == 0x7f {
				return false
			}
		}
		return true
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return false
		}
		for _, r := range atom {
			if r < utf8.RuneSelf && !isAlnum(byte(r)) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r) {
				return false
			}
		}
	}
	return true
}

func isHost(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, r := range label {
			if r < utf8.RuneSelf && r != '-' && !isAlnum(byte(r)) {
				return false
			}
		}
	}
	return true
}

func isAddressLiteral(s string) bool {
	inner, ok := strings.CutPrefix(s, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !ok || !closed {
		return false
	}
	if six, tagged := strings.CutPrefix(inner, "IPv6:"); tagged {
		return isIPv6(six)
	}
	return isIPv4(inner)
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// isIPv4 checks a dotted quad; leading zeros are not allowed.
func isIPv4(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is4()
}

// isIPv6 checks an address without a zone.
func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Is6() && addr.Zone() == ""
}

// isUUID checks the form 8-4-4-4-12 of RFC 4122, in either case.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !isHex(s[i]) {
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
