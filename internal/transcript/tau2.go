package transcript

import (
	"fmt"
	"io"

	"github.com/judgekit/judge/internal/value"
)

// tau2Shared is what the simulations of a τ² file share. It is complete before the
// first simulation is decoded and is not written after.
type tau2Shared struct {
	info  value.Value
	tasks map[string]value.Value
	begun bool
}

// tau2Frame cuts a τ² result file {timestamp, info, tasks, simulations} into its
// simulations. info and tasks are kept.
func (r *Reader) tau2Frame() {
	r.split.take()
	shared := &tau2Shared{tasks: map[string]value.Value{}}
	r.decode.shared = shared
	f := &tau2Framer{r: r, shared: shared, fresh: true}
	r.next = f.next
}

type tau2Framer struct {
	r      *Reader
	shared *tau2Shared
	// fresh says that no comma is due; inside that the list of simulations is open.
	fresh, inside, ended bool
}

func (f *tau2Framer) next() (item, error) {
	s := f.r.split
	for {
		at := item{line: s.line, index: s.index}
		if f.ended {
			return at, io.EOF
		}
		c, err := s.peek()
		if err != nil {
			f.ended = true
			return at, early(err)
		}
		switch {
		case f.inside && c == ']':
			s.take()
			f.inside, f.fresh = false, false
		case !f.inside && c == '}':
			s.take()
			f.ended = true
			return at, f.r.behind()
		case !f.fresh && c != ',':
			f.ended = true
			return at, f.r.stray(at, "where a comma should be stands "+quote(string(rune(c)))+": the rest was not read")
		case !f.fresh:
			s.take()
			f.fresh = true
		case f.inside:
			f.fresh = false
			it, err := s.nextValue()
			return it, early(err)
		default:
			f.fresh = false
			if err := f.member(at); err != nil {
				f.ended = true
				return at, err
			}
		}
	}
}

// member reads one key of the file, and its value unless that is the list of
// simulations, which it opens.
func (f *tau2Framer) member(at item) error {
	s := f.r.split
	index := s.index
	defer func() { s.index = index }()
	it, err := s.nextValue()
	if err != nil {
		return early(err)
	}
	key, err := value.Parse(it.data)
	name, isText := key.Str()
	if err != nil || !isText {
		return f.r.stray(at, "a key should stand where "+quote(string(it.data))+" does: the rest was not read")
	}
	c, err := s.peek()
	if err != nil {
		return early(err)
	}
	if c != ':' {
		return f.r.stray(at, "no colon stands behind the key "+quote(name)+": the rest was not read")
	}
	s.take()
	if c, err = s.peek(); err != nil {
		return early(err)
	}
	if name == "simulations" && c == '[' {
		s.take()
		f.inside, f.fresh, f.shared.begun = true, true, true
		return nil
	}
	if it, err = s.nextValue(); err != nil {
		return early(err)
	}
	return f.keep(at, name, it)
}

// keep remembers the shared parts.
func (f *tau2Framer) keep(at item, name string, it item) error {
	if name != "info" && name != "tasks" && name != "simulations" {
		return nil
	}
	if it.problem != "" {
		return f.r.stray(at, name+": "+it.problem)
	}
	v, err := value.Parse(it.data)
	switch {
	case err != nil:
		return f.r.stray(at, name+": "+err.Error())
	case name == "simulations":
		return f.r.stray(at, "simulations: this must be a list and is "+article(v.Kind()))
	case f.shared.begun:
		return f.r.stray(at, name+" stands behind the simulations, which need it: put it before them")
	case name == "info":
		f.shared.info = v
	default:
		for _, task := range v.Elements() {
			f.shared.tasks[task.Field("id").Text()] = task
		}
	}
	return nil
}

// readTau2 reads one simulation. The policy, which the messages do not hold, stands
// as a first system message. Calls of the simulated user have the executor "user".
func (d *draft) readTau2(v value.Value, shared *tau2Shared) error {
	if v.Kind() != value.Object {
		return wrong("", "a simulation must be an object and is %s", article(v.Kind()))
	}
	if shared == nil {
		shared = &tau2Shared{}
	}
	task, trial := v.Field("task_id"), v.Field("trial")
	if d.ID = v.Field("id").Text(); d.ID == "" && task.Text() != "" {
		d.ID = baseName(d.Source.File) + "/task-" + task.Text() + "/trial-" + trial.Text()
	}
	reason := v.Field("termination_reason")
	d.Sample = value.OfObject(value.Member{Key: "task_id", Value: task}, value.Member{Key: "trial", Value: trial},
		value.Member{Key: "termination_reason", Value: reason})
	switch reason.Text() {
	case "infrastructure_error", "agent_error", "user_error", "unexpected_error":
		d.note("run_error", "termination_reason", reason.Text())
	}
	d.Extra = foreign(v, "id", "task_id", "trial", "termination_reason", "messages")
	if err := d.tau2Task(shared, task.Text(), v.Field("reward_info")); err != nil {
		return err
	}
	d.tau2Labels(v.Field("reward_info"))
	environment := shared.info.Field("environment_info")
	d.useTools(environment.Field("tool_defs"))
	policy := v.Field("policy")
	if policy.IsNull() {
		policy = environment.Field("policy")
	}
	if text, ok := policy.Str(); ok && text != "" {
		d.message(Message{Role: System, Content: text, HasContent: true}, "info.environment_info.policy")
	}
	return d.tau2Messages(v.Field("messages"), "messages")
}

// ReferenceConflict is the kind of the note on a simulation whose own reference is not
// that of its task in the file.
const ReferenceConflict = "reference_conflict"

// ConflictWords say for people that n conversations have that note.
func ConflictWords(n int) string {
	return fmt.Sprintf("%d conversations were rewarded by other actions than their task has in tasks[]: the file numbers its tasks differently, and the conversations' own actions are the reference", n)
}

// tau2Task sets the reference: that of the simulation itself, by which it was rewarded,
// or else that of its task. Where they differ the file numbers its tasks otherwise: then
// nothing of the task is taken. Else the whole task stands in Extra.
func (d *draft) tau2Task(shared *tau2Shared, id string, reward value.Value) error {
	own, outputs := checked(reward, "action_checks", "action"), checked(reward, "communicate_checks", "info")
	task, ok := shared.tasks[id]
	criteria := task.Field("evaluation_criteria")
	actions := criteria.Field("actions")
	from := "tasks." + id + ".actions"
	switch {
	case !ok && own.Len() == 0:
		d.note("task_missing", "task_id", "the file has no task "+quote(id)+": nothing is expected")
		return nil
	case ok && own.Len() > 0 && !sameActions(own, actions):
		d.note(ReferenceConflict, "reward_info.action_checks", "the task "+quote(id)+" of the file has other actions than those by which this simulation was rewarded, which are used")
		ok = false
	}
	if ok {
		if d.Extra.IsNull() {
			d.Extra = value.OfObject()
		}
		d.Extra = d.Extra.With("task", task)
		if outputs.Len() == 0 {
			outputs = criteria.Field("communicate_info")
		}
	}
	if own.Len() > 0 {
		actions, from = own, "reward_info.action_checks"
	}
	if !actions.IsList() {
		return nil
	}
	if err := d.actions(actions, from); err != nil {
		return err
	}
	d.outputs(outputs, "communicate_info")
	return nil
}

// checked are what the checks of a reward looked at.
func checked(reward value.Value, list, key string) value.Value {
	var out []value.Value
	for _, c := range reward.Field(list).Elements() {
		if v := c.Field(key); !v.IsNull() {
			out = append(out, v)
		}
	}
	return value.OfList(out...)
}

// sameActions compares two lists of actions by what counts of them.
func sameActions(a, b value.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		for _, key := range []string{"name", "arguments", "requestor", "compare_args"} {
			if !value.Equal(a.At(i).Field(key), b.At(i).Field(key)) {
				return false
			}
		}
	}
	return true
}

func (d *draft) tau2Labels(reward value.Value) {
	if v := reward.Field("reward"); !v.IsNull() {
		d.label("reward", v, -1, "reward_info.reward")
	}
	if v := reward.Field("db_check").Field("db_match"); !v.IsNull() {
		d.label("db_match", v, -1, "reward_info.db_check.db_match")
	}
}

func (d *draft) tau2Messages(messages value.Value, list string) error {
	if messages.IsNull() {
		return nil
	}
	if !messages.IsList() {
		return wrong(list, "this must be a list of messages and is %s", article(messages.Kind()))
	}
	for i, m := range messages.Elements() {
		at := place(list, i)
		if m.Kind() != value.Object {
			return wrong(at, "a message must be an object and is %s", article(m.Kind()))
		}
		var err error
		if wrapped := m.Field("tool_messages"); wrapped.IsList() && list == "messages" {
			err = d.tau2Messages(wrapped, at+".tool_messages")
		} else {
			err = d.tau2Message(m, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tau2Message reads one message: like chat, but a tool message's id is the id of
// its call, and its error says whether the tool failed.
func (d *draft) tau2Message(v value.Value, at string) error {
	if v.Field("role").Text() != string(ToolRole) {
		return d.chatMessage(v, at)
	}
	m := Message{Role: ToolRole, ResultID: v.Field("id").Text()}
	m.flag(v.Field("error"))
	m.ToolName = v.Field("name").Text()
	var f chatFields
	for key, val := range v.Members() {
		switch key {
		case "role", "id", "name", "error":
		case "content":
			f.content = val
		default:
			if !val.IsNull() {
				f.extra = append(f.extra, value.Member{Key: key, Value: val})
			}
		}
	}
	return d.addChat(m, f, at)
}
