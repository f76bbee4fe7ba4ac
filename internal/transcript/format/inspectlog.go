// Inspect AI's evaluation logs: .json, and .eval (see evalzip.go).
// Written by: inspect_ai, one sample and epoch a conversation.
// Read: versions 1 and 2 of the log, as of inspect_ai 0.3.260.
// Lost: events beside the tools that they name, the store, and usage; texts that are attachments are put in
// their places. A score of C is the label 1, one of I 0, as Inspect itself counts them.

package format

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

var inspectJSON = format{
	name:   "inspect-json",
	mark:   "a version and eval.task",
	detect: of(isInspect),
	read:   (*draft).readInspect,
	in:     container.Layout{List: "samples", Shared: []string{"eval"}},
}

func isInspect(f value.Value) bool {
	return f.Field("version").IsNumber() && f.Field("eval").Has("task")
}

// readInspect reads one sample.
func (d *draft) readInspect(v value.Value) error {
	if s, ok := v.Str(); ok {
		return wrong("", "%s", s) // evalzip.go could not read it
	}
	if v.Kind() != value.Object {
		return wrong("", "a sample must be an object and is %s", v.Kind().WithArticle())
	}
	id, epoch := v.Field("id").Text(), v.Field("epoch").Text()
	d.ID = id
	if epoch != "" {
		d.ID += "/epoch-" + epoch
	}
	task := d.shared.Field("eval").Field("task")
	d.Sample = value.Pairs("task_id", v.Field("id")).With("trial", v.Field("epoch")).With("task", task).
		With("target", v.Field("target"))
	d.Extra = foreign(v, "id", "epoch", "input", "target", "messages", "output", "scores", "store", "events",
		"events_data", "message_pool", "call_pool", "attachments", "model_usage", "role_usage", "timelines")
	if failure := v.Field("error"); !failure.IsNull() {
		d.note("run_error", "error", value.Quote(cmp.Or(failure.Field("message").Text(), failure.JSON())))
	}
	d.inspectScores(v)
	attached := attachments{draft: d, texts: v.Field("attachments"), left: d.opts.MaxConversationBytes}
	for _, e := range v.Field("events").Elements() {
		if e.Field("event").Text() == "model" {
			d.moreTools(attached.resolve(e.Field("tools")))
		}
	}
	messages, list := v.Field("messages"), "messages"
	if messages.Len() == 0 {
		messages, list = inspectInput(v), "input"
	}
	t := turns{draft: d}
	defer t.flush()
	return d.objects(attached.resolve(messages), list, "message", func(m value.Value, at string) error {
		return t.message(inspectMessage(m), at)
	})
}

// inspectInput returns the messages of a sample that has only an input and an output.
func inspectInput(v value.Value) value.Value {
	var list []value.Value
	if input := v.Field("input"); input.IsList() {
		list = input.Slice()
	} else if !input.IsNull() {
		list = append(list, value.Pairs("role", value.OfString("user")).With("content", input))
	}
	if m := v.Field("output").Field("choices").Head().Field("message"); m.Kind() == value.Object {
		list = append(list, m)
	}
	return value.OfList(list...)
}

func (d *draft) inspectScores(v value.Value) {
	for name, s := range v.Field("scores").Members() {
		val := s.Field("value")
		if val.Kind() == value.Object {
			for part, inner := range val.Members() {
				d.label(name+"."+part, inspectScore(inner), -1, "scores."+name)
			}
			continue
		}
		d.label(name, inspectScore(val), -1, "scores."+name)
	}
}

func inspectScore(v value.Value) value.Value {
	switch v.Text() {
	case "C":
		return value.OfInt(1)
	case "I":
		return value.OfInt(0)
	}
	return v
}

// inspectMessage converts a message to the usual form. A tool's error is beside its content, and
// parts of type tool_use are calls that the provider ran.
func inspectMessage(v value.Value) value.Value {
	failure, content := v.Field("error"), v.Field("content")
	if !failure.IsNull() && content.Text() == "" && !content.IsList() {
		text := failure.Field("type").Text() + ": " + failure.Field("message").Text()
		return v.With("content", value.OfString(text))
	}
	if !content.IsList() {
		return v
	}
	return v.With("content", eachOf(content, func(p value.Value) value.Value {
		if p.Field("type").Text() == "tool_use" {
			return p.With("type", value.OfString("server_tool_use"))
		}
		return p
	}))
}

// attachments replaces references by the texts that a sample stores separately.
type attachments struct {
	*draft
	// texts is an object by hash, or a list by number.
	texts value.Value
	// left is the number of bytes that references may still unfold to.
	left int
}

func (a *attachments) resolve(v value.Value) value.Value {
	if v.Kind() == value.String {
		return a.text(v)
	}
	return v.Each(func(_ string, e value.Value) value.Value { return a.resolve(e) })
}

func (a *attachments) text(v value.Value) value.Value {
	ref, ok := strings.CutPrefix(v.Text(), "attachment://")
	if !ok {
		return v
	}
	text := a.texts.Field(ref)
	if n, err := strconv.Atoi(ref); a.texts.IsList() && err == nil && n >= 0 && n < a.texts.Len() {
		text = a.texts.At(n)
	}
	a.left -= len(text.Text())
	if text.IsNull() || a.left < 0 {
		a.note("attachment_missing", "attachments", "the text of "+value.Quote(v.Text())+" is not in the sample, or too long")
		return v
	}
	return text
}
