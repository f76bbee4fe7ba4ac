// AWS event streams: the binary form in which Bedrock streams a reply, as recordings of HTTP keep it.

package format

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"

	"github.com/judgekit/judge/internal/value"
)

// awsFrame is the size of a message's frame in an event stream: the message's size, its headers'
// size, a checksum of these, and a checksum of everything, 4 bytes each.
const awsFrame = 16

// isAWSStream reports whether data begins with a message of an AWS event stream.
func isAWSStream(data []byte) bool {
	return len(data) > awsFrame && crc32.ChecksumIEEE(data[:8]) == binary.BigEndian.Uint32(data[8:])
}

// awsEvents returns the events of an AWS event stream that are pieces of a reply; if it is cut,
// those before the cut.
func awsEvents(data []byte) (events []value.Value) {
	for isAWSStream(data) {
		size, headers := int64(binary.BigEndian.Uint32(data)), int64(binary.BigEndian.Uint32(data[4:]))
		if size < awsFrame+headers || size > int64(len(data)) {
			break
		}
		kind := awsEventType(data[12 : 12+headers])
		event, err := value.Parse(data[12+headers : size-4])
		data = data[size:]
		if inner, isText := event.Field("bytes").Str(); isText { // an event of the model's own API
			text, _ := base64.StdEncoding.DecodeString(inner)
			event, err = value.Parse(text)
		} else {
			event = value.OfObject(value.Member{Key: kind, Value: event})
		}
		if err == nil && isStreamEvent(event) {
			events = append(events, event)
		}
	}
	return events
}

// awsEventType returns the header :event-type. Each header has the size of its name, the name, a
// type (7 is text), the size of its value in two bytes, and the value.
func awsEventType(headers []byte) string {
	for len(headers) > 0 {
		name := 1 + int(headers[0])
		if len(headers) < name+3 || headers[name] != 7 {
			return ""
		}
		end := name + 3 + int(binary.BigEndian.Uint16(headers[name+1:]))
		if end > len(headers) {
			return ""
		}
		if string(headers[1:name]) == ":event-type" {
			return string(headers[name+3 : end])
		}
		headers = headers[end:]
	}
	return ""
}
