// Command outside judges one call, its turn and its conversation, like a program outside this
// module: it logs in by a key and a header, adds a field and a version to every request, and uses
// its own transport.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/logs"
	"github.com/judgekit/judge/rubrics"
)

// counting counts the requests that pass through it.
type counting struct{ requests int }

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests++
	return http.DefaultTransport.RoundTrip(r)
}

const conversation = `{"id":"c1","messages":[{"role":"user","content":"Cancel order 7."},` +
	`{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function",` +
	`"function":{"name":"cancel","arguments":"{\"id\":7}"}}]}]}`

func main() {
	transport := &counting{}
	list, err := rubrics.Builtin()
	if err != nil {
		log.Fatal(err)
	}
	endpoint := judges.Endpoint{
		BaseURL: os.Getenv("JUDGE_URL"), APIKey: judges.NewSecret(os.Getenv("JUDGE_KEY")),
		Headers:   []judges.Param{{Name: "X-Team", Value: judges.NewSecret("quality")}},
		Query:     []judges.Param{{Name: "api-version", Value: judges.NewSecret("1"), Plain: true}},
		Transport: transport, MaxAttempts: 1,
	}
	judge, err := judges.Open(endpoint, judges.Config{
		Model: "fake-model", Rubrics: list[:1], Transport: judges.JSONSchema,
		Modes: map[string]judges.VerdictMode{list[0].Name: "interval"},
		Extra: []judges.Field{
			{Name: "priority", Value: json.RawMessage(`1`)},
			{Name: "seed", Value: json.RawMessage(`null`)},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for conv, err := range logs.Read("log.jsonl", strings.NewReader(conversation)) {
		if err != nil {
			log.Fatal(err)
		}
		results, err := judge.Call(context.Background(), conv, 0, judges.Facts{})
		if failed, ok := errors.AsType[*judges.Error](err); ok {
			fmt.Println("failed:", failed.Kind, failed.Status)
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(results[0].Rubric, results[0].Verdict, "requests", transport.requests, "key", endpoint.APIKey)
		if err := askQuestions(endpoint, conv); err != nil {
			log.Fatal(err)
		}
	}
}

// askQuestions asks with two rubrics of its own: one about each turn, one about the conversation.
func askQuestions(endpoint judges.Endpoint, conv *judges.Conversation) error {
	polite, err := rubrics.Parse("name: polite\nquestion: Was the assistant polite?\nanswer: yes/no\npass: yes\nscope: turn")
	if err != nil {
		return err
	}
	done, err := rubrics.Parse("name: done\nquestion: How much was done?\nanswer: [all, some, none]\nscope: conversation")
	if err != nil {
		return err
	}
	judge, err := judges.Open(endpoint, judges.Config{
		Model: "fake-model", Rubrics: []*rubrics.Rubric{polite, done}, Transport: judges.JSONSchema,
		Extra: []judges.Field{
			{Name: "priority", Value: json.RawMessage(`1`)},
			{Name: "seed", Value: json.RawMessage(`null`)},
		},
	})
	if err != nil {
		return err
	}
	turn, err := judge.Turn(context.Background(), conv, 1)
	if err != nil {
		return err
	}
	whole, err := judge.Conversation(context.Background(), conv)
	if err != nil {
		return err
	}
	fmt.Println("turn", turn[0].Turn, turn[0].Rubric, turn[0].Category, turn[0].Verdict)
	fmt.Println("conversation", whole[0].Rubric, whole[0].Category, whole[0].Verdict)
	return nil
}
