package judges_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/logs"
)

const supportLog = `{"id":"c1","messages":[{"role":"user","content":"Cancel order 987, please."},{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"cancel_order","arguments":"{\"order_id\":987}"}}]}],"tools":[{"type":"function","function":{"name":"cancel_order","description":"Cancels an order","parameters":{"type":"object","properties":{"order_id":{"type":"integer"}},"required":["order_id"]}}}]}
{"id":"c2","messages":[{"role":"user","content":"Cancel order 988, please."},{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"cancel_order","arguments":"{\"order\":988}"}}]}],"tools":[{"type":"function","function":{"name":"cancel_order","description":"Cancels an order","parameters":{"type":"object","properties":{"order_id":{"type":"integer"}},"required":["order_id"]}}}]}
`

// Judge one call with the built-in rule-based baseline; for a language model give
// the endpoint's URL and the model's name instead.
func ExampleJudge_Call() {
	judge, err := judges.Open(judges.Endpoint{}, judges.Config{Model: judges.BaselineModel})
	if err != nil {
		log.Fatal(err)
	}
	for conv, err := range logs.Read("support.jsonl", strings.NewReader(supportLog)) {
		if err != nil {
			log.Fatal(err)
		}
		results, err := judge.Call(context.Background(), conv, 0, judges.Facts{})
		if err != nil {
			log.Fatal(err)
		}
		for _, r := range results {
			fmt.Printf("%s %s: %s\n", r.ConversationID, r.Rubric, r.Verdict)
		}
	}
	// Output:
	// c1 function_intent_alignment: pass
	// c1 parameter_completeness_consistency: pass
	// c1 prerequisite_satisfaction: pass
	// c1 overall_call_correctness: pass
	// c2 function_intent_alignment: pass
	// c2 parameter_completeness_consistency: fail
	// c2 prerequisite_satisfaction: pass
	// c2 overall_call_correctness: fail
}

// Judge a whole log, many requests at a time; outcomes come in the log's order.
func ExampleRun() {
	judge, err := judges.Open(judges.Endpoint{}, judges.Config{Model: judges.BaselineModel, Concurrency: 4})
	if err != nil {
		log.Fatal(err)
	}
	items := func(yield func(judges.Item, error) bool) {
		for conv, err := range logs.Read("support.jsonl", strings.NewReader(supportLog)) {
			if !yield(judges.Item{Conversation: conv}, err) {
				return
			}
		}
	}
	err = judges.Run(context.Background(), []*judges.Judge{judge}, items, judges.RunConfig{}, func(o *judges.Outcome) error {
		overall := o.Results[len(o.Results)-1]
		fmt.Println(o.Item.Conversation.ID, overall.Tool, overall.Verdict)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// c1 cancel_order pass
	// c2 cancel_order fail
}
