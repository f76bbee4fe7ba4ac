package measure_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/truth"
)

const page = "../../../docs/coverage.md"

// decided are the worlds in which decisions are tried, with fewer samples.
var decidedRun = suite{"Decisions", []simulatedWorld{
	{equal, 0.7, 0.8, shared, size}, {unequal, 0.9, 0.8, shared, size},
	{unequal, 0.7, 0.97, shared, size}, {unequal, 0.7, 0, shared, size},
}, []int{30, 100}}

const fewer = 8

// TestCoverage simulates all worlds and writes the data files and the page. It takes minutes.
func TestCoverage(t *testing.T) {
	if !*coverageWorlds {
		t.Skip("minutes of simulation: -coverage-worlds")
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		t.Fatal(err)
	}
	list, old, oldSummary := statistics(), intervalData(t), oldCells(t)
	for k := range list {
		if !chosen.MatchString(list[k].name) {
			list[k].of = nil
		}
	}
	var rows []intervalRow
	all := make([][]cell, len(list))
	for _, s := range suites() {
		cells, err := s.simulate(list, *samples, 20000)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, s.intervalRows(list, cells, old)...)
		for k := range list {
			for _, one := range slices.Concat(cells...) {
				all[k] = append(all[k], one[k])
			}
		}
	}
	counts, err := decidedRun.decide(decisions(), *samples/fewer)
	if err != nil {
		t.Fatal(err)
	}
	decisive := decisionRows(decisions(), counts, *samples/fewer)
	writeRows(t, intervalsFile, intervalColumns, rows, (*intervalRow).cells)
	writeRows(t, decisionsFile, decisionColumns, decisive, (*decisionRow).cells)
	text := head(*samples) + summary(list, all, oldSummary) + heldOutText(rows) + shortText(rows) + decisionText(decisive, *samples/fewer)
	before, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if _, labels, found := strings.Cut(string(before), labelsHead); found {
		text += labelsHead + labels
	}
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// oldCells returns the cells of the tables of the page as it is, by title, row and column.
func oldCells(t *testing.T) map[[3]string]string {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	out, title, heads := map[[3]string]string{}, "", []string(nil)
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "## "):
			title = strings.TrimSpace(line[3:])
		case !strings.HasPrefix(line, "|"):
			heads = nil
		case heads == nil:
			heads = cellsOf(line)
		default:
			for k, text := range cellsOf(line) {
				out[[3]string{title, cellsOf(line)[0], heads[k]}] = text
			}
		}
	}
	return out
}

func cellsOf(line string) []string {
	return strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
}

func head(samples int) string {
	return fmt.Sprintf(`# Do the intervals hold?

This page is written by a simulation; do not edit it. To run it again (minutes):

    go test ./internal/report/measure -run Coverage -coverage-worlds -coverage-samples 2400 -timeout 12h

(-coverage-only REGEXP simulates some statistics again and keeps the cells of the others.) In a simulated world the
truth is known. Each world is sampled %d times, and each time every
statistic is computed by the function from which reports print it. What was counted is in two data files;
this page has the sums, and a test compares them.

- [coverage-intervals.csv](data/coverage-intervals.csv), a row for each statistic in each world: *covers* is the share of
  the intervals, nominally 950 of 1,000, that contain the truth, *error* its Monte-Carlo standard error in
  thousandths, *with_interval* the percentage of samples that have an interval, which is what the share is about. All three
  are empty if more than nine of ten samples have none: then the value is printed without an interval, with the reason.
- [coverage-decisions.csv](data/coverage-decisions.csv), how often the product decides right or wrong.

A world is named by three things:

- lengths of conversations: *equal*, %d calls each; *unequal*: exponential, one in ten two and a half
  times as long on average; or *failing*: as unequal, and the longer a conversation is, the worse are its
  calls: by half a standard deviation for each factor e;
- the share of calls that are right: 70, 90 or 95 %%;
- the judge: *useless*, *good* or *near-perfect*: its score correlates with the quality of a call
  by 0, 0.8 or 0.97, and by a tenth less in every other conversation, the hard ones.

The quality of calls of one conversation has an intraclass correlation (ICC) of %.1f, and so have
the judge's errors. The worlds of validation have other shares, sizes, correlations and numbers of
conversations, and a middling judge (%.2f). For the corrected pass rate the labelled conversations
are a quarter of all.

## How intervals are made

The standard error of every statistic is the jackknife's that leaves out one conversation at a
time (Efron and Tibshirani 1993), and the quantile is Student's t. The degrees of freedom are the
conversations that count: 2/(1/m - 1/G) of G conversations, with m = (Σd²)²/Σd⁴ of each conversation's part d
of the error, and G - 1 at most. That is the variance of Σd² by the kurtosis of these parts; the
formula of Welch and Satterthwaite (1946) alone, m, is a third of what it should be if they are normal
(Johnson and Rust 1992). Rates, whose error is one-sided if failures are rare, have fewer: 1/f is larger by
skewness²; so have AC1 and AC2, which are rates of agreement less that of chance. Differences, which are as
often above 0 as below, have one less than conversations, f, unless
their error is skewed: f/(1 + f·skewness²), after the Edgeworth expansion of Hall (1992); 1/f of a difference of
judges is larger by 1/n if gold has the rarer class in n conversations, since a sample often lacks the failures that would
make the standard error large, and so is 1/f of AC1 and AC2 by 1/2n if raters are a half of the scale apart in n.

A corrected rate has the interval of the labels alone, moved to it, and shorter as the judge makes the
standard error smaller: it is never longer. Rates and means of scores have Wilson's score interval with as many items as give
that error (Korn and Graubard 1998), and at least as many as there are conversations of equal
length. AC1 and AC2 have that of the observed agreement, an AUC has one on the logit scale. If passes and
fails have scores in common, an AUC's interval is at least that of independent items with normal scores: of few different
scores, a sample often lacks the failures that are rated as high as passes.

Kappa, MCC, alpha, r and ICC have Wilson's interval on another scale: the share s of what two raters have in common. Of
two classes it is the share of items that both put into the rarer class, of those that either does. Dice's
coefficient is D = 2s/(1+s), and kappa is 1 - (1-D)/c if c is what chance leaves. Of other ratings it is (d(a,m) + d(b,m) - d(a,b))
of (d(a,m) + d(b,m) + d(a,b)), with squared distances d from each other and from the median m, summed over pairs.
There are as many items as give s the jackknife's error, but that error is at least the one of independent items: if
failures are rare, the few that were found say little about those that were not.

So what is little known has a long interval. It is refused only here, and the reason is printed beside the value:

- from one conversation, without any disagreement, or where leaving out one conversation
  leaves no value;
- differences of judges: fewer than %d conversations with an item of the rarer class; AUC: fewer than %d in which an
  item of the rarer class has another score than the one most common in that class; means: fewer than %d with
  anything but the most common value. A third of all conversations is enough for each;
- a difference divided by Youden's J: J may be below 0.2 by its interval. Then the undivided difference is printed
  with its interval, as the judge sees it: no bounded interval of the quotient is right if J may be 0 (Fieller 1954);
- the corrected pass rate: fewer than %d labelled failures, or as few labelled passes, in fewer than 30
  conversations; the counts are printed instead;
- the change of one parameter between two runs: its calls are known as counts alone, without their
  conversations.

The shares and shifts of `+"`judge probe`"+` are pass rates and paired differences, by the same functions.

The rules and their numbers were set by these two sets of worlds. The held-out worlds have yet other shares, judges,
correlations, sizes and numbers of conversations. They showed that the AUC of ratings covered too rarely; its bound by
independent items was then chosen in other worlds, some of which are like these, so that these no longer say how it does
in worlds that nobody has seen. Nothing else was changed by them.

Of 30 and 50 conversations an interval must cover 910 of 1,000 times, of 100 and more 930 (*at_least*), or be refused.
A test counts those that cover less, by more than two Monte-Carlo errors, and holds every false
alarm against its limit, with two Monte-Carlo errors of allowance.

`, samples, size, shared, middling, interval.FewestCompared,
		interval.FewestRanked, interval.FewestVaried, truth.FewestPPI)
}

// heldOutText says how intervals do in the worlds by which nothing was set.
func heldOutText(rows []intervalRow) string {
	covers, lowest, with, n, all := 0.0, 1000.0, 0.0, 0.0, 0.0
	for _, r := range rows {
		if r.worlds != heldOutTitle {
			continue
		}
		if all++; r.covers != "" {
			covers, with, n, lowest = covers+number(r.covers), with+number(r.printed), n+1, min(lowest, number(r.covers))
		}
	}
	return fmt.Sprintf("In the held-out worlds alone the mean is %.0f, the least %.0f, and %.1f %% are refused.\n\n",
		covers/n, lowest, 100-with/all)
}

// shortText returns the part of the page about intervals that cover too little.
func shortText(rows []intervalRow) string {
	var b strings.Builder
	b.WriteString("## Where intervals fall short\n\n")
	if !slices.ContainsFunc(rows, func(r intervalRow) bool { return r.short() }) {
		return b.String() + "In none of these worlds, within two Monte-Carlo errors.\n\n"
	}
	b.WriteString("Do not trust these intervals in such a world.\n\n")
	row(&b, []string{"statistic", "world", "conversations", "covers", "at least"})
	row(&b, slices.Repeat([]string{"---"}, 5))
	for _, r := range rows {
		if r.short() {
			row(&b, []string{r.statistic, r.world, r.conversations, r.covers + " ± " + r.mcse, r.least})
		}
	}
	return b.String() + "\n"
}

// summary returns the table of all cells of each statistic.
func summary(list []statistic, cells [][]cell, old map[[3]string]string) string {
	var b strings.Builder
	b.WriteString("## In short\n\nOver all worlds and numbers of conversations: mean and least coverage, how many " +
		"samples have no interval,\nand the width of the interval against the best known one, that of someone who " +
		"knows how the value\nvaries from sample to sample (from its 2.5 % to its 97.5 % quantile). The last line is " +
		"the mean of the others.\n\n")
	heads := []string{"statistic", "mean", "least", "refused", "width against the best known"}
	row(&b, heads)
	row(&b, slices.Repeat([]string{"---"}, len(heads)))
	var mean, refused, width float64
	lowest := 1000.0
	for k, st := range list {
		line := shortly(cells[k])
		if st.of == nil {
			for i, head := range heads[1:] {
				line[i] = old[[3]string{"In short", st.name, head}]
			}
		}
		var of [4]float64
		for i, text := range line {
			fmt.Sscanf(text, "%f", &of[i])
		}
		mean, lowest, refused, width = mean+of[0], min(lowest, of[1]), refused+of[2], width+of[3]
		row(&b, append([]string{st.name}, line...))
	}
	n := float64(len(list))
	row(&b, []string{"all", fmt.Sprintf("%.0f", mean/n), fmt.Sprintf("%.0f", lowest), fmt.Sprintf("%.1f %%", refused/n),
		fmt.Sprintf("%.2f", width/n)})
	return b.String() + "\n"
}

// shortly returns mean and least coverage, the share of refusals and the width of the cells of a statistic.
func shortly(cells []cell) []string {
	mean, lowest, refused, width, n := 0.0, 1.0, 0.0, 0.0, 0.0
	for _, c := range cells {
		if c.refused() {
			refused++
			continue
		}
		if c.drawn == 0 {
			continue
		}
		share, _ := c.coverage()
		mean, width, n, lowest = mean+share, width+c.relative(), n+1, min(lowest, share)
		refused += 1 - float64(c.printed)/float64(c.drawn)
	}
	return []string{fmt.Sprintf("%.0f", 1000*mean/n), fmt.Sprintf("%.0f", 1000*lowest),
		fmt.Sprintf("%.1f %%", 100*refused/float64(len(cells))), fmt.Sprintf("%.2f", width/n)}
}

// text returns a cell of the tables about labels.
func (c cell) text() string {
	if c.refused() {
		return "–"
	}
	share, mcse := c.coverage()
	text := fmt.Sprintf("%.0f ± %.0f", 1000*share, 1000*mcse)
	if c.printed < c.drawn {
		text += fmt.Sprintf(" (%.0f %%)", 100*float64(c.printed)/float64(c.drawn))
	}
	return text
}

// decisionText returns the part of the page about decisions: a line for each, over all worlds.
func decisionText(rows []decisionRow, samples int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Decisions\n\nThe share of %d samples in which the product decided so, by the functions "+
		"of the commands, in\nthousandths, from the world with the fewest to that with the most. Where the limit is a "+
		"number it is a false alarm; the others are power.\n\n", samples)
	heads := []string{"decision", "situation", "limit"}
	for _, clusters := range decidedRun.clusters {
		heads = append(heads, fmt.Sprintf("%d conversations", clusters))
	}
	row(&b, heads)
	row(&b, slices.Repeat([]string{"---"}, len(heads)))
	for _, one := range decisions() {
		line := []string{one.name, one.situation, "power"}
		for _, clusters := range decidedRun.clusters {
			low, high := 1000.0, 0.0
			for _, r := range rows {
				if r.conversations == fmt.Sprint(clusters) && r.name == one.name && r.situation == one.situation {
					low, high = min(low, number(r.decided)), max(high, number(r.decided))
					line[2] = cmp.Or(r.most, "power")
				}
			}
			line = append(line, fmt.Sprintf("%.0f–%.0f", low, high))
		}
		row(&b, line)
	}
	return b.String() + "\n"
}

func row(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// The data have every world and every statistic; each interval covers as much as the page
// promises, or is refused, and false alarms are as rare, within two Monte-Carlo errors.
func TestPageKeepsItsPromises(t *testing.T) {
	count := map[string]int{}
	for _, r := range intervalData(t) {
		count[r.statistic]++
		if r.short() {
			t.Errorf("%s covers %s of %s in the world %s", r.statistic, r.covers, r.least, r.world)
		}
	}
	want := 0
	for _, s := range suites() {
		want += len(s.worlds) * len(s.clusters)
	}
	for _, st := range statistics() {
		if count[st.name] != want {
			t.Errorf("%s stands in %d rows, want %d", st.name, count[st.name], want)
		}
	}
	decisive := decisionData(t)
	for _, r := range decisive {
		if r.most != "" && number(r.decided)-2*number(r.mcse) > number(r.most) {
			t.Errorf("%s (%s): %s of at most %s in the world %s", r.name, r.situation, r.decided, r.most, r.world)
		}
	}
	if want := len(decidedRun.clusters) * len(decisions()) * len(decidedRun.worlds); len(decisive) != want {
		t.Errorf("%d rows of decisions, want %d", len(decisive), want)
	}
}

// The page says what the data say, and what the code does.
func TestPageSumsItsData(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var samples, decidedSamples int
	for _, find := range []struct {
		pattern string
		to      *int
	}{{`Each world is sampled (\d+) times`, &samples}, {`The share of (\d+) samples in which the product`, &decidedSamples}} {
		if m := regexp.MustCompile(find.pattern).FindSubmatch(text); m != nil {
			fmt.Sscan(string(m[1]), find.to)
		}
	}
	rows := intervalData(t)
	for _, want := range []string{head(samples), heldOutText(rows), shortText(rows), decisionText(decisionData(t), decidedSamples)} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has another text than\n%s", want)
		}
	}
	old := oldCells(t)
	for _, st := range statistics() {
		covers, lowest, with, n := 0.0, 1000.0, 0.0, 0.0
		total := 0.0
		for _, r := range rows {
			if r.statistic != st.name {
				continue
			}
			total++
			if r.covers != "" {
				covers, with, n = covers+number(r.covers), with+number(r.printed), n+1
				lowest = min(lowest, number(r.covers))
			}
		}
		for _, one := range []struct {
			head             string
			want, inaccuracy float64
		}{{"mean", covers / n, 1}, {"least", lowest, 0}, {"refused", 100 - with/total, 0.5}} {
			cell := old[[3]string{"In short", st.name, one.head}]
			var got float64
			if _, err := fmt.Sscanf(cell, "%f", &got); err != nil || !(math.Abs(got-one.want) <= one.inaccuracy) {
				t.Errorf("%s: %s is %q, the data have %.1f", st.name, one.head, cell, one.want)
			}
		}
	}
}
