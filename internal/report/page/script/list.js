// The table of calls: filters, search, sort, and a link in each row that opens the call.

const pageSize = 50;

// badgeOf shows an item's verdict, or its answer if there is none.
const badgeOf = item => badge(item?.verdict, item?.verdict ? '' : item?.answer);

// partOf is the place of an item in its conversation: 3, 3:result, turn2, or '' for the whole.
function partOf(item) {
  if (item.scope === 'turn') return 'turn' + item.turn;
  if (item.call === null || item.call < 0) return '';
  return item.call + (item.scope ? ':' + item.scope : '');
}

// titleOf names an item without its conversation, whereOf says where in it.
function titleOf(item) {
  if (item.scope === 'turn') return 'turn ' + item.turn;
  if (!partOf(item)) return texts.wholeTitle;
  return (item.tool || 'call ' + item.call) + (item.scope ? ' ' + texts.withResult : '');
}

const whereOf = item => (item.scope === 'turn' || !partOf(item) ? '' : ', call ' + item.call);

// address is the part of the page's address after # that opens an item by its part; rubric may be left
// out.
function address(conversation, part, rubric) {
  return '#' + encodeURIComponent(conversation) + ':' + part + (rubric ? ':' + encodeURIComponent(rubric) : '');
}

function makeList(source, data) {
  const form = byId('filters'), body = byId('rows'), more = byId('more'), status = byId('found');
  const everywhere = byId('everywhere');
  const first = { show: firstView(data.totals), sort: 'rank', down: false };
  let query = { ...first, limit: pageSize, ...(history.state || {}).query, ...filterOf(location.hash) };
  let listed = [], turn = 0;

  for (const select of form.querySelectorAll('select[data-choices]')) {
    for (const c of data.choices[select.dataset.choices] || []) {
      select.append(el('option', { value: c.value }, visible(c.name) + (c.count ? ' (' + c.count + ')' : '')));
    }
  }
  form.elements.judge.closest('label').hidden = data.choices.judges.length === 0;
  enter();
  form.addEventListener('input', change);
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(change));
  for (const button of document.querySelectorAll('#calls th button')) {
    button.addEventListener('click', () => {
      const same = query.sort === button.value;
      query = { ...query, sort: button.value, down: same && !query.down, limit: pageSize };
      refresh();
    });
  }
  more.addEventListener('click', async () => {
    const at = listed.length;
    query.limit += pageSize;
    await refresh();
    body.rows[at]?.querySelector('a').focus();
  });
  body.addEventListener('click', event => {
    const link = event.target.closest('tr').querySelector('a');
    if (!event.target.closest('a') && String(getSelection()) === '') link.click();
  });

  everywhere.addEventListener('click', () => {
    form.elements.show.value = '';
    change();
  });

  // enter puts the query into the form, as far as the form knows its values.
  function enter() {
    for (const field of form.querySelectorAll('select, input')) {
      field.value = query[field.name] ?? '';
      if (field.selectedIndex < 0) field.value = first[field.name] ?? '';
      query[field.name] = field.value;
    }
  }

  // fragment returns the part of the address that holds the query, '' for the first view.
  function fragment() {
    const out = new URLSearchParams();
    for (const name of ['show', 'text', 'group', 'tool', 'rubric', 'judge', 'verdict', 'scorer', 'flag', 'sort', 'down']) {
      const value = query[name] ?? '';
      if (value !== (first[name] ?? '')) out.set(name, name === 'show' && value === '' ? 'all' : value);
    }
    return out.size ? '#?' + out : '';
  }

  // remember puts the query into the address, unless that names something else.
  function remember() {
    const hash = location.hash, state = { ...history.state, query };
    const free = hash === '' || hash === '#calls' || hash.startsWith('#?');
    history.replaceState(state, '', free ? fragment() || (hash.startsWith('#?') ? '#' : hash) : hash);
    byId('back').href = fragment() || '#calls';
  }

  function change() {
    query = { sort: query.sort, down: query.down, limit: pageSize, ...Object.fromEntries(new FormData(form)) };
    refresh();
  }

  async function refresh() {
    const mine = ++turn;
    remember();
    const { items, total } = await source.items(asked(query));
    if (mine !== turn) return;
    listed = items;
    body.replaceChildren(...items.map(item => row(item, data.judged, data.choices.judges.length)));
    more.hidden = items.length >= total;
    more.textContent = say(texts.showMore, Math.min(pageSize, total - items.length), total);
    const among = form.elements.show.selectedOptions[0].text.replace(/ \(\d+\)$/, '');
    const limited = Boolean(query.text && query.show);
    status.textContent = total === 0 && !limited ? texts.nothing
      : count(total, 'row', 'rows') + (limited ? say(texts.foundAmong, among) : '');
    everywhere.hidden = !limited;
    for (const th of document.querySelectorAll('#calls th[data-sort]')) {
      const active = th.dataset.sort === query.sort;
      th.setAttribute('aria-sort', !active ? 'none' : query.down ? 'descending' : 'ascending');
    }
  }

  return {
    refresh,
    // neighbour returns the item before (-1) or after (1) another one in the list.
    neighbour(item, step) {
      const at = listed.findIndex(i => i.conversation === item.conversation && partOf(i) === partOf(item));
      return at < 0 ? null : listed[at + step] || null;
    },
    // follow takes over the filter that an address names.
    follow(hash) {
      const named = filterOf(hash);
      if (!named || hash === fragment()) return;
      query = { ...first, limit: pageSize, ...named };
      enter();
      refresh();
      if (named.group) byId('calls').scrollIntoView();
    },
    show(view) {
      form.reset();
      form.elements.show.value = view;
      change();
    },
  };
}

// filterOf reads the query after the # of an address, null if that is not a query.
function filterOf(hash) {
  if (!hash.startsWith('#?')) return null;
  const named = Object.fromEntries(new URLSearchParams(hash.slice(2)));
  if (named.show === 'all') named.show = '';
  return { ...named, down: named.down === 'true' };
}

// firstView names what is worth reading first.
function firstView(totals) {
  return totals.changed ? 'changed' : totals.failing ? 'failing' : totals.disagreements ? 'disagreements' : '';
}

// asked turns what was entered into a query for the source. Fields of one group become one term,
// which one score must match as a whole.
function asked(query) {
  const groups = [['show'], ['group'], ['tool'], ['rubric', 'judge', 'verdict'], ['scorer'], ['flag']];
  const rank = (query.show || '').startsWith('failing') ? 'failure' : 'disagreement';
  return {
    terms: groups.map(g => g.filter(name => query[name]).map(name => name + '=' + query[name]).join('\n')).filter(Boolean),
    text: query.text, sort: query.sort === 'rank' ? rank : query.sort, down: query.down, limit: query.limit,
  };
}

// said shows a verdict, or the answer if there is none, and who gives it.
function said(verdict, by, answer) {
  return [badge(verdict, verdict ? '' : answer), by ? el('span', { class: 'by' }, by) : null];
}

// row names its roles, because a phone shows it as a card. If the run has a judge, it shows what
// judge and reference say; judges counts them.
function row(item, judged, judges) {
  const claimed = confidence(item);
  const cell = (name, ...content) => el('td', { role: 'cell', class: name }, ...content);
  return el('tr', { role: 'row' },
    cell('verdict', ...(judged ? said(item.judge_says || item.verdict, judges > 1 ? item.judge : '', item.answer) : [badgeOf(item)])),
    el('th', { scope: 'row', role: 'rowheader' },
      el('a', { href: address(item.conversation, partOf(item)) }, el('b', {}, titleOf(item)),
        el('small', {}, visible(item.conversation) + (partOf(item) && ':' + partOf(item))))),
    cell('why', item.why || failingCalls(item)),
    cell('sides', judged && item.reference_says ? said(item.reference_says, item.reference) : null, sides(item)),
    cell('n', claimed < 0 ? '' : short(claimed)),
    cell('flags', flagCodes(item).map(code => el('span', { class: 'flag' }, code))));
}

// failingCalls says how many calls of a conversation fail.
function failingCalls(item) {
  const calls = item.calls || [], n = calls.filter(c => c.verdict === 'fail').length;
  return calls.length ? say(texts.callsFail, n, count(calls.length, 'call', 'calls')) : '';
}

// sides counts what the scorers and labels say.
function sides(item) {
  const of = verdict => item.scores.filter(s => s.source !== 'judge' && s.verdict === verdict);
  const [passes, fails] = [of('pass'), of('fail')];
  const side = (list, kind, text) => (list.length
    ? el('span', { class: kind, title: [...new Set(list.map(s => s.name))].join(', ') }, text) : null);
  return [
    side(fails, 'fail', '✗ ' + count(fails.length, 'fails', 'fail')),
    side(passes, 'pass', '✓ ' + count(passes.length, 'passes', 'pass')),
    item.disagreement ? el('div', { class: 'conflict' }, 'disagreement ' + item.disagreement) : null,
  ];
}

function flagCodes(item) {
  return [...new Set(item.scores.flatMap(s => (s.flags || []).map(f => f.code)))];
}
