package planted

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// jsons returns values as JSON, sorted.
func jsons(list []value.Value) []string {
	out := []string{}
	for _, v := range list {
		out = append(out, v.JSON())
	}
	slices.Sort(out)
	return out
}

// TestOccurs: a value occurs as a word of its own, in any case, also behind a longer word that begins with it.
func TestOccurs(t *testing.T) {
	for text, want := range map[string]bool{
		"take vb-104 now": true, "vb-104": true, "(vb-104)": true, "vb-1045 or vb-104": true, "vb-1045": false,
		"xvb-104": false,
		"9vb-104": false, "vb-104ä": false, "vb 104": false, "": false,
	} {
		if got := occurs([]string{"", text}, "VB-104"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if occurs([]string{"a b"}, "") || occurs(nil, "a") {
		t.Error("nothing occurs")
	}
}

// TestSpots: faults are planted in texts and numbers, also those of a list, and only the chosen one changes.
func TestSpots(t *testing.T) {
	s := withArguments(t, `{"text":"a","empty":"","n":0,"yes":true,"list":["b",2,"",[3]],"none":null,"o":{"x":1}}`, "")
	var got []string
	for _, p := range s.spots() {
		got = append(got, p.key+" "+s.with(p, value.OfString("X")).JSON())
	}
	want := []string{
		`text {"text":"X","empty":"","n":0,"yes":true,"list":["b",2,"",[3]],"none":null,"o":{"x":1}}`,
		`n {"text":"a","empty":"","n":"X","yes":true,"list":["b",2,"",[3]],"none":null,"o":{"x":1}}`,
		`list {"text":"a","empty":"","n":0,"yes":true,"list":["X",2,"",[3]],"none":null,"o":{"x":1}}`,
		`list {"text":"a","empty":"","n":0,"yes":true,"list":["b","X","",[3]],"none":null,"o":{"x":1}}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestChanged: of a tool without a definition nothing is known to be wrong; else the arguments must keep its schema, or
// break it, as the fault says.
func TestChanged(t *testing.T) {
	other := value.Pairs("berth_id", "VB-999", "boat", "Alma 22")
	for name, tt := range map[string]struct {
		tool, broken string
		keeps        bool
		why          string
	}{
		"no definition": {"sail", "", true, "the tool has no definition"}, "keeps it": {"book_berth", "", true, ""},
		"breaks it":     {"book_berth", "no", true, "it breaks the schema"},
		"must break it": {"book_berth", "no", false, ""},
		"is allowed":    {"book_berth", "", false, "the schema allows it"},
	} {
		s := withArguments(t, `{"berth_id":"VB-104"}`, tt.broken)
		got := s.changed(Plan{Kind: Mutant}, tt.tool, other, tt.keeps)
		if s.refused != tt.why || (len(got) == 1) != (tt.why == "") {
			t.Errorf("%s: %d mutants, refused since %q", name, len(got), s.refused)
		}
	}
}

// TestSimilar: case, blanks and punctuation of texts do not matter, wherever they stand; numbers and order do.
func TestSimilar(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{`"VB-104"`, `"vb 104"`}: true, {`"a.b,c/d_e*f^g"`, `"ABCDEFG"`}: true, {`"a+b"`, `"ab"`}: false,
		{`["A-1",{"x":"b c"}]`, `["a1",{"x":"BC"}]`}: true, {`["a","b"]`, `["b","a"]`}: false, {`1`, `1.0`}: true,
		{`1`, `"1"`}:           false,
		{`{"a":1}`, `{"A":1}`}: false,
	} {
		a, errA := value.ParseString(pair[0])
		b, errB := value.ParseString(pair[1])
		if errA != nil || errB != nil || similar(a, b) != want {
			t.Errorf("%s and %s: want %v", pair[0], pair[1], want)
		}
	}
}

// TestOtherDigits: each digit becomes another one from 1 to 9; everything else stays.
func TestOtherDigits(t *testing.T) {
	const text = "VB-0123456789-0000"
	for seed := range int64(20) {
		s := siteOf(t, 1, "", "")
		s.cfg.Seed = seed
		got := s.otherDigits(text, "test")
		if len(got) != len(text) || !strings.HasPrefix(got, "VB-") || got[13] != '-' || strings.Contains(got, "0") {
			t.Fatalf("%s", got)
		}
		for i := range text {
			if digit := text[i] >= '0' && text[i] <= '9'; digit == (got[i] == text[i]) {
				t.Errorf("%s: place %d", got, i)
			}
		}
	}
}

// TestWrongValues: small numbers have the next four as neighbours, and long ones and texts other digits. A text without
// digits has none.
func TestWrongValues(t *testing.T) {
	s := siteOf(t, 1, "", "")
	of := func(v value.Value) []string { return jsons(ungroundedValues(s, spot{"k", -1, v})) }
	for n, want := range map[int64][]string{0: {"1", "2", "3", "4"}, 999: {"1000", "1001", "1002", "1003"},
		-3: {"-1", "-2", "0", "1"}} {
		if d := cmp.Diff(want, of(value.OfInt(n))); d != "" {
			t.Errorf("%d: %s", n, d)
		}
	}
	for _, v := range []value.Value{value.OfInt(1000), value.OfFloat(12.5), value.OfString("VB-104"),
		value.OfString("7")} {
		for _, got := range of(v) {
			if formOf(got) != formOf(v.JSON()) || len(got) != len(v.JSON()) || got == v.JSON() {
				t.Errorf("of %s: %s", v.JSON(), got)
			}
		}
		if len(of(v)) != 3 {
			t.Errorf("of %s: %q", v.JSON(), of(v))
		}
	}
	if got := of(value.OfString("Visby")); len(got) != 0 {
		t.Errorf("of Visby: %q", got)
	}
	for seed := range int64(9) {
		s.cfg.Seed = seed
		n, _ := randomValues(s, spot{"k", -1, value.OfFloat(1.5)})[0].Int64()
		text := randomValues(s, spot{"k", -1, value.OfString("a")})[0].Text()
		if n < 1_000_003 || n > 9_000_002 || len(text) != 8 || strings.Trim(text, "bcdfghjklmnpqrstvwxz") != "" {
			t.Errorf("%d, %s", n, text)
		}
	}
}

// TestOtherEntities: values of other things stand in results under the parameter's name, or under the name that the
// value itself has there, and in texts as words of the same form. They are of the same type and no other spelling of
// it.
func TestOtherEntities(t *testing.T) {
	c := parse(t, `{"id":"b4","messages":[
{"role":"user","content":"VB-104, or VB-7? Not VBX or XY_12. (Or 'QQ-1')."},
{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"find","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"1","content":"{\"all\":[{\"id\":\"VB-104\",\"length\":9},{\"id\":\"VB-119\",\"length\":12},{\"id\":\"vb 119\"},{\"id\":5}],\"berth\":\"KA-3\",\"note\":\"VB-5.\"}"},
{"role":"assistant","content":null,"tool_calls":[{"id":"2","type":"function","function":{"name":"book","arguments":"{\"berth\":\"VB-104\",\"length\":9}"}}]},
{"role":"tool","tool_call_id":"2","content":"{\"id\":\"ZZ-9\",\"berth\":\"ZZ-8\"}"}]}`)
	p := planter(1, 0)
	s := newSite(&Base{Conversation: c, Call: 1}, &p.cfg)
	for _, tt := range []struct {
		p    spot
		want []string
	}{
		{spot{"berth", -1, value.OfString("VB-104")},
			[]string{`"KA-3"`, `"QQ-1"`, `"VB-119"`, `"VB-5"`, `"VB-7"`, `"vb 119"`}},
		{spot{"length", -1, value.OfInt(9)}, []string{"12"}},
		{spot{"other", -1, value.OfInt(77)}, []string{}}, {spot{"length", -1, value.OfFloat(9.5)}, []string{"12", "9"}},
	} {
		if d := cmp.Diff(tt.want, jsons(otherEntities(s, tt.p))); d != "" {
			t.Errorf("%s %s: %s", tt.p.key, tt.p.v.JSON(), d)
		}
	}
	for text, want := range map[string]string{"VB-104": "a-9", "a1b22": "a9a9", "2026-05-01": "9-9-9", "--x": "--a",
		"": "", "Å٣": "a9"} {
		if got := formOf(text); got != want {
			t.Errorf("%s has the form %s, want %s", text, got, want)
		}
	}
}

// TestOtherUnits: a date a month or a year later, an amount in another unit, another unit of the enum.
func TestOtherUnits(t *testing.T) {
	s := siteOf(t, 1, "", "")
	for _, tt := range []struct {
		key  string
		v    value.Value
		want []string
	}{
		{"from", value.OfString("on 2026-05-31 at noon"),
			[]string{`"on 2026-07-01 at noon"`, `"on 2027-05-31 at noon"`}},
		{"from", value.OfString("2026-13-01"), []string{}}, {"from", value.OfString("12026-01-01"), []string{}},
		{"length", value.OfInt(9), []string{"540", "900", "9000"}},
		{"boat_length", value.OfFloat(2.5), []string{"150.0", "250.0", "2500.0"}},
		{"lengthy", value.OfInt(9), []string{}}, {"length", value.OfInt(0), []string{}},
		{"length", value.OfString("9"), []string{}},
		{"unit", value.OfString("m"), []string{`"ft"`, `"m"`}}, {"berth_id", value.OfInt(9), []string{}},
	} {
		if d := cmp.Diff(tt.want, jsons(s.otherUnits(spot{tt.key, -1, tt.v}))); d != "" {
			t.Errorf("%s %s: %s", tt.key, tt.v.JSON(), d)
		}
	}
	s.tool = nil
	if got := s.otherUnits(spot{"unit", -1, value.OfString("m")}); got != nil {
		t.Errorf("without a schema: %q", jsons(got))
	}
}

// TestYields: what each operator plants, and why it plants nothing, is counted, and each mutant has the weight of the
// user's own failures.
func TestYields(t *testing.T) {
	p := planter(1, 0)
	p.cfg.Weights = &Weights{Failures: 7, Share: map[string]float64{"wrong_type": 0.25}}
	c := parse(t, strings.Replace(booking, `"required":["berth_id","boat"],"additionalProperties":false`,
		`"required":["berth_id","boat"]`, 1))
	bases := p.Bases(c, matched(1), []string{"match"}, nil)
	p.Add(c, bases)
	if p.Calls != 2 || p.Tiers[Matched] != 1 || p.Tiers[Assumed] != 1 {
		t.Errorf("%d calls, tiers %v", p.Calls, p.Tiers)
	}
	yields := map[string]Yield{}
	for _, y := range p.Yields {
		yields[y.Operator] = y
	}
	for name, want := range map[string]Yield{
		"wrong_value":        {"wrong_value", 2, 4, map[string]int{}},
		"wrong_type":         {"wrong_type", 2, 2, map[string]int{}},
		"invented_parameter": {"invented_parameter", 1, 1, map[string]int{"the schema allows it": 1}},
	} {
		if d := cmp.Diff(want, yields[name]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	// The surer call has all faults but one, which only the other one can have.
	planted := []string{}
	for _, b := range p.blocks {
		for _, v := range b.Mutants {
			if want := p.cfg.Weights.Share[v.Operator]; v.Weight != want || v.Failures != 7 {
				t.Errorf("%s weighs %v of %d failures", v.Operator, v.Weight, v.Failures)
			}
		}
		planted = append(planted, fmt.Sprintf("%s %d", b.Tier, len(b.Mutants)))
	}
	if d := cmp.Diff([]string{"matched 12", "assumed 1"}, planted); d != "" {
		t.Error(d)
	}
}

// TestDefaults: what the schema says by default is added to arguments that lack it, and to nothing else.
func TestDefaults(t *testing.T) {
	tool := &transcript.Tool{Parameters: value.Pairs("properties",
		value.Pairs("a", value.Pairs("default", 1), "b", value.Pairs("type", "x")))}
	for args, want := range map[string]string{`{}`: `{"a":1}`, `{"b":2}`: `{"b":2,"a":1}`, `{"a":3}`: `{"a":3}`,
		`[1]`: `[1]`, `null`: `null`} {
		v, err := value.ParseString(args)
		if err != nil || withDefaults(tool, v).JSON() != want {
			t.Errorf("%s: %s, want %s", args, withDefaults(tool, v).JSON(), want)
		}
	}
}

// TestNoPlan: what does not say whose variant it is, and of which call, is no plan.
func TestNoPlan(t *testing.T) {
	whole := value.Pairs("conversation", "c", "call", 2, "kind", Mutant)
	if plan, ok := ReadPlan(whole); !ok || plan.Call != 2 {
		t.Errorf("%+v, %v", plan, ok)
	}
	for _, key := range []string{"conversation", "call", "kind"} {
		if _, ok := ReadPlan(whole.Without(key)); ok {
			t.Errorf("a plan without %s", key)
		}
	}
}

// TestChoices: what the seed chooses depends on the conversation, the call and the purpose.
func TestChoices(t *testing.T) {
	seen := map[uint64]string{}
	for _, parts := range [][]string{{}, {"a"}, {"b"}, {"a", "b"}, {"ab"}, {"a", "", "b"}} {
		for seed := range int64(2) {
			h, name := hash(seed, parts...), fmt.Sprintf("%d %q", seed, parts)
			if seen[h] != "" {
				t.Errorf("%s and %s are chosen alike", name, seen[h])
			}
			seen[h] = name
		}
	}
}

// TestTexts: the record before a call has the texts and the arguments of the calls before it.
func TestTexts(t *testing.T) {
	c := parse(t, booking)
	want := []string{"a berth in visby for the alma 22 from 2026-05-01, she is 9 m long.", "", `{"harbour":"visby"}`}
	if d := cmp.Diff(want, texts(c, c.Messages[:2])); d != "" {
		t.Error(d)
	}
}

// TestSureCallsComeFirst: if fewer calls are taken than a log has, those remain of which we are surest.
func TestSureCallsComeFirst(t *testing.T) {
	for _, sure := range []int{0, 1, 2, 3} {
		p := New(Config{Seed: 1, Bases: 1, Best: 1, SchemaError: schemaError})
		for i := range 4 {
			c := parse(t, strings.Replace(booking, `"id":"b1"`, fmt.Sprintf(`"id":"b%d"`, i), 1))
			scores := matched(1)
			if i != sure {
				scores = nil
			}
			p.Add(c, p.Bases(c, scores, []string{"match"}, nil)[1:])
		}
		l := p.Log()
		if first := parse(t, string(l.Lines[0])); first.ID != fmt.Sprintf("b%d/1/original", sure) ||
			l.Bases[Matched] != 1 || len(l.Bases) != 1 {
			t.Errorf("%s is taken, not b%d", first.ID, sure)
		}
	}
}

// TestReasonsOfOperators: each operator has its own reason for planting nothing.
func TestReasonsOfOperators(t *testing.T) {
	p := planter(1, 0)
	c := parse(t, strings.Replace(booking, `"required":["berth_id","boat"],"additionalProperties":false`,
		`"required":["berth_id","boat"]`, 1))
	c.Calls[1].Result = -1
	b := p.plant(Base{Conversation: c, Call: 1, Tier: Matched})
	if got, want := b.discarded.Object().JSON(), `{"invented_parameter":"the schema allows it"}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestUnitsInTheRecord: a wrong unit whose value stands in the record may be right, so that another one is taken, or
// none.
func TestUnitsInTheRecord(t *testing.T) {
	for text, want := range map[string]string{"": "2026-06-01 or 2027-05-01", " or 2026-06-01": "2027-05-01",
		" or 2027-05-01":               "2026-06-01",
		" or 2026-06-01 or 2027-05-01": ""} {
		s := siteOf(t, 1, "from 2026-05-01", "from 2026-05-01"+text)
		args, err := value.ParseString(`{"berth_id":"VB-104","boat":"Alma 22","from":"2026-05-01"}`)
		if err != nil {
			t.Fatal(err)
		}
		s.call.Arguments = args
		got := ""
		for _, v := range wrongUnit(s) {
			got = v.Is
		}
		if (got == "") != (want == "") || !strings.Contains(want, got) || want == "" &&
			s.refused != "the value stands in the record" {
			t.Errorf("%q: %q, want %q; refused since %q", text, got, want, s.refused)
		}
	}
}
