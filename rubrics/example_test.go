package rubrics_test

import (
	"fmt"
	"log"

	"github.com/judgekit/judge/rubrics"
)

func ExampleParse() {
	r, err := rubrics.Parse(`
name: asked_first
question: Did the assistant get a clear yes before this call?
answer: yes/no
pass: yes
when: tool in [cancel_order, refund_payment]`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Name, r.Scope, r.Output.Categories, r.Output.Pass)

	_, err = rubrics.Parse("name: asked_first\nqestion: Did it ask?\nanswer: yes/no")
	fmt.Println(err)
	// Output:
	// asked_first call [yes no] [yes]
	// rubric:1:1: question: is missing
	// rubric:2:1: qestion: unknown key "qestion"; did you mean question?
}
