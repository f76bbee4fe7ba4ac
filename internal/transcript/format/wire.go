package format

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/judgekit/judge/internal/value"
)

// maxWireDepth limits how deep protobuf messages may be nested.
const maxWireDepth = 1000

var errWire = errors.New("damaged protobuf")

// wireField describes a field of a message: its number, its name, and how its value is encoded.
type wireField struct {
	number uint64
	name   string
	// kind is bytes, hex, text, bool, enum, int, time or double, or the name of the message in the field.
	kind string
	list bool
}

// wireMessages lists the messages of OTLP (opentelemetry-proto 1.9), without counts of dropped
// things, links and flags, which nothing here reads.
var wireMessages = map[string][]wireField{
	"traces":         {{1, "resourceSpans", "resource spans", true}},
	"resource spans": {{1, "resource", "resource", false}, {2, "scopeSpans", "scope spans", true}},
	"scope spans":    {{1, "scope", "scope", false}, {2, "spans", "span", true}},
	"span": {{1, "traceId", "hex", false}, {2, "spanId", "hex", false}, {4, "parentSpanId", "hex", false},
		{5, "name", "text", false}, {6, "kind", "enum", false}, {7, "startTimeUnixNano", "time", false},
		{8, "endTimeUnixNano", "time", false}, {9, "attributes", "pair", true}, {11, "events", "event", true},
		{15, "status", "status", false}},
	"event":  {{1, "timeUnixNano", "time", false}, {2, "name", "text", false}, {3, "attributes", "pair", true}},
	"status": {{2, "message", "text", false}, {3, "code", "enum", false}},

	"logs":          {{1, "resourceLogs", "resource logs", true}},
	"resource logs": {{1, "resource", "resource", false}, {2, "scopeLogs", "scope logs", true}},
	"scope logs":    {{1, "scope", "scope", false}, {2, "logRecords", "record", true}},
	"record": {{1, "timeUnixNano", "time", false}, {2, "severityNumber", "enum", false}, {3, "severityText", "text", false},
		{5, "body", "any", false}, {6, "attributes", "pair", true}, {9, "traceId", "hex", false},
		{10, "spanId", "hex", false}, {11, "observedTimeUnixNano", "time", false}, {12, "eventName", "text", false}},

	"resource": {{1, "attributes", "pair", true}},
	"scope":    {{1, "name", "text", false}, {2, "version", "text", false}, {3, "attributes", "pair", true}},
	"pair":     {{1, "key", "text", false}, {2, "value", "any", false}},
	"any": {{1, "stringValue", "text", false}, {2, "boolValue", "bool", false}, {3, "intValue", "int", false},
		{4, "doubleValue", "double", false}, {5, "arrayValue", "anys", false}, {6, "kvlistValue", "pairs", false},
		{7, "bytesValue", "bytes", false}},
	"anys":  {{1, "values", "any", true}},
	"pairs": {{1, "values", "pair", true}},
}

// wireValue converts a protobuf message to OTLP/JSON. Unknown fields are skipped.
func wireValue(message string, data []byte, depth int) (value.Value, error) {
	if depth > maxWireDepth {
		return value.Value{}, errors.New("protobuf nested too deeply")
	}
	fields := wireMessages[message]
	var o value.Fields
	lists := make([][]value.Value, len(fields))
	for len(data) > 0 {
		raw, n, err := nextRaw(data)
		if err != nil {
			return value.Value{}, err
		}
		data = data[n:]
		i := slices.IndexFunc(fields, func(f wireField) bool { return f.number == raw.number })
		if i < 0 {
			continue
		}
		v, err := fields[i].value(raw, depth)
		switch {
		case err != nil:
			return value.Value{}, fmt.Errorf("%s: %w", fields[i].name, err)
		case fields[i].list:
			lists[i] = append(lists[i], v)
		default:
			o.Set(fields[i].name, v)
		}
	}
	for i, list := range lists {
		if list != nil {
			o.Set(fields[i].name, value.OfList(list...))
		}
	}
	return value.OfObject(o...), nil
}

// The wire types of protobuf.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

// wireRaw is a field as encoded: a number in bits, or bytes in payload.
type wireRaw struct {
	number  uint64
	wire    int
	bits    uint64
	payload []byte
}

// nextRaw reads the first field of data, and returns how many bytes it takes.
func nextRaw(data []byte) (raw wireRaw, n int, err error) {
	tag, n := binary.Uvarint(data)
	if n <= 0 || tag>>3 == 0 {
		return raw, 0, errWire
	}
	raw.number, raw.wire = tag>>3, int(tag&7)
	rest, used := data[n:], 0
	switch raw.wire {
	case wireVarint:
		raw.bits, used = binary.Uvarint(rest)
		if used <= 0 {
			return raw, 0, errWire
		}
	case wireFixed64:
		if used = 8; used <= len(rest) {
			raw.bits = binary.LittleEndian.Uint64(rest)
		}
	case wireFixed32:
		used = 4
	case wireBytes:
		size, k := binary.Uvarint(rest)
		if k <= 0 || size > uint64(len(rest)-k) {
			return raw, 0, errWire
		}
		used = k + int(size)
		raw.payload = rest[k:used]
	default:
		return raw, 0, errWire
	}
	if used > len(rest) {
		return raw, 0, errWire
	}
	return raw, n + used, nil
}

// value decodes the field. 64-bit integers become texts of digits.
func (f *wireField) value(raw wireRaw, depth int) (value.Value, error) {
	wire := wireBytes
	switch f.kind {
	case "bool", "enum", "int":
		wire = wireVarint
	case "time", "double":
		wire = wireFixed64
	}
	if raw.wire != wire {
		return value.Value{}, errWire
	}
	switch f.kind {
	case "bool":
		return value.OfBool(raw.bits != 0), nil
	case "enum":
		return value.OfInt(int64(raw.bits)), nil
	case "int":
		return value.OfString(strconv.FormatInt(int64(raw.bits), 10)), nil
	case "time":
		return value.OfString(strconv.FormatUint(raw.bits, 10)), nil
	case "double":
		return value.OfFloat(math.Float64frombits(raw.bits)), nil
	case "text":
		return value.OfString(string(raw.payload)), nil
	case "hex":
		return value.OfString(hex.EncodeToString(raw.payload)), nil
	case "bytes":
		return value.OfString(base64.StdEncoding.EncodeToString(raw.payload)), nil
	}
	return wireValue(f.kind, raw.payload, depth+1)
}
