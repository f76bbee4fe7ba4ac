// Results of the Berkeley Function-Calling Leaderboard.
// Written by: bfcl generate (v3, v4), result files: {id, result, inference_log}.
// Read: of an inference log the questions, the agent's answers and the results of its calls; without a log the
// answers alone, which are calls as {name: arguments} or as Python.
// Lost: states, tokens and latencies; questions, if there is no log.

package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var bfclResult = format{
	name: "bfcl-result",
	mark: "a result with input_token_count, latency or inference_log",
	detect: of(func(f value.Value) bool {
		return f.HasAll("id", "result") && f.HasAny("input_token_count", "latency", "inference_log")
	}),
	read: (*draft).readBFCLResult,
}

func (d *draft) readBFCLResult(v value.Value) error {
	d.ID = v.Field("id").Text()
	d.Extra = foreign(v, "id", "result", "inference_log", "latency", "input_token_count", "output_token_count")
	asked := false
	for i, turn := range v.Field("inference_log").Elements() {
		for key, list := range turn.Members() {
			switch {
			case key == "begin_of_turn_query":
				asked = true
				if err := d.messageList(list, place("inference_log", i)); err != nil {
					return err
				}
			case strings.HasPrefix(key, "step_"):
				if err := d.bfclStep(list, place("inference_log", i)+"."+key); err != nil {
					return err
				}
			}
		}
	}
	if asked {
		return nil
	}
	return d.bfclAnswer(v.Field("result"), "result")
}

// bfclStep reads the agent's answers in a step, and the results of its calls.
func (d *draft) bfclStep(list value.Value, at string) error {
	for _, m := range list.Elements() {
		content := m.Field("content")
		switch m.Field("role").Text() {
		case "assistant":
			if err := d.bfclAnswer(content, at); err != nil {
				return err
			}
		case "tool":
			d.messageOf(transcript.ToolRole, content, at)
		}
	}
	return nil
}

// bfclAnswer reads an answer: calls, a text, or the answers of turns and steps.
func (d *draft) bfclAnswer(v value.Value, at string) error {
	if head := v.Head(); head.IsList() || head.Head().IsList() {
		for i, e := range v.Elements() {
			if err := d.bfclAnswer(e, at+indexed(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if _, isCalls := writtenCalls(v); v.IsList() && !isCalls {
		for _, e := range v.Elements() {
			if err := d.answer(e, at); err != nil {
				return err
			}
		}
		return nil
	}
	return d.answer(v, at)
}
