package page_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/report/reporttest"
)

// rows counts what the table shows.
const rows = "document.querySelectorAll('#rows tr').length"

// choose sets a filter as a person does.
func (b *browser) choose(name, value string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`(() => { const e = document.getElementById('filters').elements[%q]; e.value = %q;
		e.dispatchEvent(new Event('input', { bubbles: true })); return e.value === %[2]q; })()`, name, value))
}

// total returns how many rows the table says it has.
func (b *browser) total() int {
	b.t.Helper()
	return eval[int](b, "parseInt(document.getElementById('found').textContent) || 0")
}

func TestFilterSortAndSearch(t *testing.T) {
	t.Parallel()
	run := madeUp(60, "")
	data, err := page.Collect(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, desk)
	b.open(rendered(t, run), "")
	if got := b.total(); got != run.Report.Failing.Total {
		t.Errorf("%d rows at first, %d calls fail", got, run.Report.Failing.Total)
	}
	for _, c := range []struct {
		filter
		text string
	}{
		{}, {filter: filter{show: page.ShowDisagreements}}, {filter: filter{tool: "refund"}},
		{filter: filter{rubric: "function_intent_alignment", verdict: "fail"}},
		{filter: filter{judge: "baseline-rules", verdict: "pass"}}, {filter: filter{scorer: "fail schema_check"}},
		{filter: filter{flag: "made_up"}}, {text: "c0007"}, {text: "NO SUCH TEXT"},
	} {
		b.click("button[type=reset]")
		b.until("document.getElementById('filters').elements.show.value === 'failing'")
		for name, value := range map[string]string{"show": c.show, "tool": c.tool, "rubric": c.rubric, "verdict": c.verdict,
			"judge": c.judge, "flag": c.flag, "text": c.text, "scorer": c.scorer} {
			b.choose(name, value)
		}
		_, want := reporttest.Selected(page.Query{Terms: c.terms(), Text: c.text}, data.Items)
		b.until(fmt.Sprintf("(parseInt(document.getElementById('found').textContent) || 0) === %d", want))
	}
	b.choose("text", "")
	b.choose("show", "")
	b.click("th button[value=order]")
	b.until("document.querySelector('th[aria-sort=ascending] button').value === 'order'")
	first := eval[string](b, "document.querySelector('#rows a').getAttribute('href')")
	b.click("th button[value=order]")
	b.until("document.querySelector('th[aria-sort=descending]')")
	if last := eval[string](b, "document.querySelector('#rows a').getAttribute('href')"); first != "#c0001:" || last == first {
		t.Errorf("sorted by the log %s is first, turned round %s", first, last)
	}
	before := eval[int](b, rows)
	b.click("#more")
	b.until(fmt.Sprint(rows, " > ", before))
	b.clean()
}

// TestSearchSaysWhere: a search among the failing calls says so, and a click searches all.
func TestSearchSaysWhere(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, desk)
	b.open(rendered(t, madeUp(60, "")), "")
	b.choose("text", "order number is right")
	b.until("document.getElementById('found').textContent.endsWith('found among the failing calls only.')")
	few := b.total()
	b.click("#everywhere")
	b.until(fmt.Sprintf("parseInt(document.getElementById('found').textContent) > %d", few))
	if text := eval[string](b, "document.getElementById('found').textContent"); strings.Contains(text, "only") {
		t.Errorf("everything is searched, and the page says %q", text)
	}
	if !eval[bool](b, "document.getElementById('everywhere').hidden") {
		t.Error("everything is searched, and the button offers it")
	}
	b.clean()
}

// TestFilterInAddress: the address names the filter, so that it can be passed on; a call that is
// opened and left keeps it, and a filter that the page does not know is left out.
func TestFilterInAddress(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, desk)
	html := rendered(t, madeUp(60, ""))
	b.open(html, "")
	if hash := eval[string](b, "location.hash"); hash != "" {
		t.Errorf("at first the address ends in %q", hash)
	}
	for name, value := range map[string]string{"show": "", "tool": "refund", "scorer": "fail schema_check", "text": "a&b #c"} {
		b.choose(name, value)
	}
	hash := eval[string](b, "location.hash")
	const want = "#?show=all&text=a%26b+%23c&tool=refund&scorer=fail+schema_check"
	if hash != want {
		t.Fatalf("the address ends in %q, want %q", hash, want)
	}
	b.choose("text", "")
	b.click("th button[value=confidence]")
	b.until("location.hash.endsWith('sort=confidence')")
	hash, rowsThere := eval[string](b, "location.hash"), b.total()
	b.click("#rows tr a")
	b.until("!document.getElementById('opened').hidden")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until(fmt.Sprintf("location.hash === %q && !document.getElementById('report').hidden", hash))
	b.open(html, hash)
	if got := eval[string](b, "document.getElementById('filters').elements.tool.value"); got != "refund" || b.total() != rowsThere {
		t.Errorf("opened again: tool %q and %d rows, want refund and %d", got, b.total(), rowsThere)
	}
	b.open(html, "#?show=nonsense&tool=nothing&sort=7&down=x")
	if got := eval[string](b, "document.getElementById('filters').elements.show.value"); got != "failing" || b.total() == 0 {
		t.Errorf("a filter that is not known shows %q with %d rows", got, b.total())
	}
	b.clean()
}

// TestScriptsSelectAsGoDoes: the page in a file and the server of judge view list the same rows.
func TestScriptsSelectAsGoDoes(t *testing.T) {
	t.Parallel()
	data, err := page.Collect(t.Context(), madeUp(40, ""))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(data.Items, func(x, y *page.Item) int { return x.Order - y.Order })
	source, err := os.ReadFile("script/source.js")
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, desk)
	held, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	var queries []page.Query
	for _, f := range filters() {
		for _, sort := range []string{"failure", "disagreement", "order", "tool", "verdict", "confidence"} {
			for _, q := range []page.Query{{}, {Down: true}, {Limit: 7, Offset: 3}, {Text: "RIGHT"}, {Conversation: "c0002"}} {
				q.Terms, q.Sort = f.terms(), sort
				queries = append(queries, q)
			}
		}
	}
	asked, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	got := eval[[][]int](b, fmt.Sprintf(`(() => { %s; const held = %s;
		return %s.map(q => select(held, q)).map(s => [s.total, ...s.items.map(i => i.order)]); })()`, source, held, asked))
	for n, q := range queries {
		part, total := reporttest.Selected(q, data.Items)
		want := []int{total}
		for _, i := range part {
			want = append(want, i.Order)
		}
		if !slices.Equal(got[n], want) {
			t.Errorf("%+v: the scripts select %v, Go %v", q, got[n], want)
		}
	}
}

func TestOpenACall(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, desk)
	b.open(rendered(t, madeUp(30, "")), "")
	b.shot("first-screen")
	b.click("#rows tr:nth-child(2) td.why")
	b.until("!document.getElementById('opened').hidden && document.querySelector('#chat .focus')")
	b.shot("failing-call")
	for what, there := range map[string]string{
		"the judged call is marked":        "document.querySelector('#chat .focus strong').textContent === 'the judged call '",
		"evidence is marked in the chat":   "document.querySelector('#chat .message.user mark').textContent === 'order 987'",
		"no evidence in what came later":   "!document.querySelector('#chat .later mark')",
		"call and result are joined":       "document.querySelector('#chat .focus .result .pre').textContent === '{\"ok\": true}'",
		"the expected call differs once":   "document.querySelectorAll('#call-facts > .diff tr.differs').length === 1",
		"digits are as they were written":  "document.querySelector('#chat .focus dd').textContent === '90071992547409931'",
		"every score has its explanation":  "[...document.querySelectorAll('.score .text')].some(e => e.textContent.includes('order number is right'))",
		"the title is focused for readers": "document.activeElement.id === 'call-title'",
		"the list is out of the way":       "document.getElementById('report').hidden",
	} {
		if !eval[bool](b, there) {
			t.Errorf("not so: %s", what)
		}
	}
	href := eval[string](b, "location.hash")
	b.do(chromedp.Reload(), chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	b.until("document.querySelector('#chat .focus')")
	b.do(chromedp.KeyEvent("j"))
	b.until(fmt.Sprintf("location.hash !== %q && !document.getElementById('before').hidden", href))
	b.until(fmt.Sprintf("document.getElementById('before').getAttribute('href') === %q", href))
	b.do(chromedp.KeyEvent("k"))
	b.until(fmt.Sprintf("location.hash === %q", href))
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("!document.getElementById('report').hidden")
	b.until(fmt.Sprintf("document.activeElement.getAttribute('href') === %q", href))
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until(fmt.Sprintf("location.hash === %q && !document.getElementById('opened').hidden", href))
	b.clean()
}

// TestQuotesByTheirWords: a quote is marked where its words stand, whatever is between them.
func TestQuotesByTheirWords(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, desk)
	var scripts strings.Builder
	for _, name := range []string{"dom", "call"} {
		text, err := os.ReadFile("script/" + name + ".js")
		if err != nil {
			t.Fatal(err)
		}
		scripts.Write(text)
	}
	for _, c := range []struct{ text, quote, want string }{
		{"cancel order 987 now", "order 987", "cancel [order 987] now"},
		{"cancel border 9871 now", "order 987", "cancel border 9871 now"},
		{`{"id": "XE", "user": "jo"}`, "id XE user", `{"[id": "XE", "user]": "jo"}`},
		{"Order\n987, order 987", "ORDER 987", "[Order\n987], [order 987]"},
		{"a b c", "a b", "[a b] c"}, {"ünïcode Straße", "straße", "ünïcode [Straße]"}, {"nothing", "...", "nothing"},
	} {
		got := eval[string](b, fmt.Sprintf(`(() => { %s; return el('p', {}, marked(%q, [%q])).innerHTML; })()`,
			scripts.String(), c.text, c.quote))
		if got = strings.NewReplacer("<mark>", "[", "</mark>", "]").Replace(got); got != c.want {
			t.Errorf("%q in %q: %q", c.quote, c.text, got)
		}
	}
}

// TestDeepLinks: an address opens what it names, whatever is in the id, and says so where the
// file does not hold it.
func TestDeepLinks(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, desk)
	html := rendered(t, madeUp(10, ": a%b"))
	b.open(html, "#c0002%3A%20a%25b:0:overall_call_correctness")
	b.until("document.querySelector('.score.focus h3').textContent.includes('overall_call_correctness')")
	b.open(html, "#c0002: a%25b:0")
	b.until("document.querySelector('#chat .focus')")
	b.open(html, "#c0002%3A%20a%25b:")
	b.until("document.getElementById('call-title').textContent.includes('Whole conversation')")
	b.click(".calls a")
	b.until("location.hash.endsWith(':0') && document.querySelector('#chat .focus')")
	b.open(html, "#nothing:3")
	b.until("!document.getElementById('not-here').hidden")
	b.open(html, "#agreement")
	b.until("document.getElementById('agreement').open")
	b.click("a[data-show=disagreements]")
	b.until("document.getElementById('filters').elements.show.value === 'disagreements'")
	b.clean()
}

// TestPhone: nothing is wider than a phone, in the list and in a call.
func TestPhone(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, phone)
	html := rendered(t, madeUp(20, "_a_very_long_word_that_has_no_place_to_break"))
	b.open(html, "")
	b.shot("phone")
	fits := "document.documentElement.scrollWidth <= innerWidth"
	eval[int](b, "document.querySelectorAll('details').forEach(d => { d.open = true }), 1")
	if !eval[bool](b, fits) {
		t.Error("the report is wider than a phone")
	}
	b.click("#rows tr a")
	b.until("document.querySelector('#chat .focus')")
	b.shot("phone-call")
	if !eval[bool](b, fits) {
		t.Error("a call is wider than a phone")
	}
	b.clean()
}

// TestDarkAndPaper: every text has a contrast of 4.5 to 1 in light and in dark; paper has what is folded.
func TestDarkAndPaper(t *testing.T) {
	t.Parallel()
	html := rendered(t, madeUp(20, ""))
	for _, dark := range []bool{false, true} {
		b := newBrowser(t, look{1280, 900, dark})
		b.open(html, "")
		b.shot(fmt.Sprint("dark-", dark))
		light := eval[int](b, "parseInt(getComputedStyle(document.body).backgroundColor.slice(4))")
		if dark != (light < 128) {
			t.Errorf("dark %t, but the background is %d", dark, light)
		}
		b.readable(fmt.Sprint("the report, dark ", dark), 400)
		b.click("#rows tr:nth-child(1) a")
		b.until("document.querySelector('#chat .focus')")
		b.shot(fmt.Sprint("dark-call-", dark))
		b.readable(fmt.Sprint("a call, dark ", dark), 30)
		b.do(chromedp.Navigate("about:blank"))
		b.open(html, "")
		if dark {
			continue
		}
		height := "document.getElementById('agreement').offsetHeight"
		folded := eval[int](b, height)
		if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
			t.Fatal(err)
		}
		if paper := eval[int](b, height); paper < 2*folded {
			t.Errorf("a section is %d pixels high on paper and %d when folded", paper, folded)
		}
		b.clean()
	}
}

// TestHostileTextIsInert: text of logs and judges is shown and does nothing.
func TestHostileTextIsInert(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, desk)
	b.open(rendered(t, madeUp(10, hostile)), "")
	b.click("#rows tr:nth-child(1) a")
	b.until("document.querySelector('#chat .focus')")
	for what, there := range map[string]string{
		"two scripts":     "document.scripts.length === 2",
		"no image":        "document.images.length === 0",
		"the title":       "!document.title.includes('hacked') || document.title.includes('<')",
		"shown as text":   "document.getElementById('chat').textContent.includes('<script>document.title')",
		"no direction":    "!document.body.textContent.includes('\\u202e') || !document.getElementById('opened').textContent.includes('\\u202e')",
		"no listener":     "!document.querySelector('[onerror], [onclick], [onload], [style]')",
		"only fragments":  "[...document.links].every(a => a.getAttribute('href').startsWith('#'))",
		"no inline frame": "!document.querySelector('iframe, object, embed, link, base')",
	} {
		if !eval[bool](b, there) {
			t.Errorf("not so: %s", what)
		}
	}
	b.clean()
}

// TestBigRun: the page of 5,000 conversations has at most 5 MB, opens and filters. The log says how long this takes: the
// goals are a second and a fifth of one, which depend on the machine. Of three openings the fastest counts.
func TestBigRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a report of 5,000 conversations")
	}
	html := rendered(t, madeUp(5000, strings.Repeat(" long words", 100)))
	if len(html) > 5_000_000 {
		t.Errorf("the page has %d bytes", len(html))
	}
	b := newBrowser(t, desk)
	best := time.Hour
	for range 3 {
		b.open(html, "")
		ready := eval[int](b, "Math.round(performance.getEntriesByName('ready')[0].startTime)")
		best = min(best, time.Duration(ready)*time.Millisecond)
	}
	eval[bool](b, `(() => { const form = document.getElementById('filters'), times = [];
		const type = async text => {
			const start = performance.now();
			form.elements.text.value = text;
			form.dispatchEvent(new Event('input'));
			await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
			times.push(performance.now() - start);
		};
		(async () => { for (const text of ['r', 're', 'ref', 'refu', '']) await type(text); window.slowest = Math.max(...times); })();
		return true; })()`)
	b.until("window.slowest > 0")
	slowest := eval[float64](b, "window.slowest")
	t.Logf("%d bytes, interactive after %v, filtered in %.0f ms, %d MB of heap", len(html), best, slowest,
		eval[int](b, "performance.memory.usedJSHeapSize")>>20)
	b.clean()
}
