package value

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// parseFloat reads a number's text as a double; text beyond the range becomes an infinity, as in Python.
func parseFloat(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

// ratOf returns the exact value of a finite number, nil for one whose double is infinite.
func ratOf(v Value) *big.Rat {
	if v.kind == Int {
		i, _ := v.BigInt()
		return new(big.Rat).SetInt(i)
	}
	return new(big.Rat).SetFloat64(parseFloat(v.text)) // nil for an infinity
}

// maxExact bounds the length of a number that is turned into an exact fraction.
const maxExact = 400

// Exact returns the exact value of a number as it is written, so that 0.3 is a multiple of 0.1. ok
// is false for a value that is not a finite number, for a number of more than 400 characters, and
// for one too near to 0 for a double.
func (v Value) Exact() (x *big.Rat, ok bool) {
	f, finite := v.Float64()
	if !finite || len(v.text) > maxExact {
		return nil, false
	}
	if f == 0 { // written out, 1e-999999 would fill the memory
		mantissa, _, _ := strings.Cut(strings.ToLower(v.text), "e")
		return new(big.Rat), !strings.ContainsAny(mantissa, "123456789")
	}
	return new(big.Rat).SetString(v.text)
}

// decimal writes a number other than 0 as "-12e400": its digits without zeros at the ends, and
// an exponent. Equal numbers have one such text.
func decimal(text string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	power := new(big.Int)
	if exponent != "" {
		power.SetString(exponent, 10)
	}
	power.Add(power, big.NewInt(int64(len(digits)-len(short)-len(fraction))))
	if negative {
		short = "-" + short
	}
	return short + "e" + power.String()
}

// validNumber reports whether text is a JSON number.
func validNumber(text string) bool {
	s := strings.TrimPrefix(text, "-")
	s, ok := cutDigits(s, true)
	if !ok {
		return false
	}
	if rest, found := strings.CutPrefix(s, "."); found {
		if s, ok = cutDigits(rest, false); !ok {
			return false
		}
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if s, ok = cutDigits(s, false); !ok {
			return false
		}
	}
	return s == ""
}

// cutDigits drops leading digits; there must be one, and with noLeadingZero a 0 must be the whole text.
func cutDigits(s string, noLeadingZero bool) (string, bool) {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n == 0 || noLeadingZero && n > 1 && s[0] == '0' {
		return s, false
	}
	return s[n:], true
}

// pythonFloat prints a double as Python's repr does: the shortest decimal that reads back, with an exponent of
// two digits below 1e-4 and from 1e16 on, and always with a fraction or an exponent.
func pythonFloat(f float64) string {
	if math.IsInf(f, 0) {
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'g', -1, 64), "+"))
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	if exponent, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:]); exponent < -4 || exponent >= 16 {
		return s
	}
	if s = strconv.FormatFloat(f, 'f', -1, 64); !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// jsNumber prints a number as JavaScript's JSON.stringify does. Numbers beyond
// the range of doubles print as null, as there.
func jsNumber(text string) string {
	f := parseFloat(text)
	switch {
	case math.IsInf(f, 0):
		return "null"
	case f == 0:
		return "0"
	}
	return jsontext.Float(f).String()
}

// Round4 rounds x to 4 decimals by the exact binary value, ties to even.
func Round4(x float64) float64 {
	const unit = 1e4
	n := math.Round(x * unit)
	// The product is exact enough here to see that x is no tie, and the quotient of two
	// exact numbers is what reading their decimal gives.
	if math.Abs(n) < 1e9 && math.Abs(x*unit-n) < 0.499 {
		return n / unit
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 4, 64), 64)
	return r
}

// Percent prints 100·x with no decimals and a percent sign, correctly rounded by
// the exact binary value, ties to even: 0.125 prints 12%.
func Percent(x float64) string {
	return strconv.FormatFloat(100*x, 'f', 0, 64) + "%"
}
