// A source gives the page its items and conversations. This one holds what is in the file;
// judge view has one that asks its server. Both have
//   items(query) -> Promise of {items, total}, query as Query in query.go
//   conversation(id) -> Promise of a Conversation as in conversation.go, null for none
//   missing: why a conversation is not there, a text

function embeddedSource(data) {
  const conversations = new Map(data.conversations.map(c => [c.id, c]));
  return {
    items: async query => select(data.items, query),
    conversation: async id => conversations.get(id) || null,
    missing: data.log_problem || 'This file holds the first conversations only. All of them: judge view RUN',
  };
}

// select applies a query to items, by the rules of Query in query.go.
function select(items, query) {
  const found = items.filter(item => matches(item, query)).sort((x, y) => compare(x, y, query));
  const from = query.offset || 0;
  return { total: found.length, items: found.slice(from, query.limit ? from + query.limit : undefined) };
}

function matches(item, q) {
  return (!q.conversation || item.conversation === q.conversation) && (!q.tool || item.tool === q.tool) &&
    shown(item, q.show) && judged(item, q) && scored(item, q) && (!q.flag || hasFlag(item, q.flag)) &&
    (!q.text || contains(item, q.text.toLowerCase()));
}

function shown(item, show) {
  switch (show) {
    case 'failing': return item.verdict === 'fail' && item.call !== null;
    case 'failing_conversations': return item.verdict === 'fail' && item.call === null;
    case 'disagreements': return item.disagreement > 0;
    case 'flagged': return hasFlag(item, '');
    case 'missing': return item.scores.some(s => s.status === 'unscored' || s.status === 'error');
  }
  return true;
}

function judged(item, q) {
  if (!q.rubric && !q.judge) return is(item.verdict, q.verdict);
  return item.scores.some(s => s.source === 'judge' && (!q.rubric || s.name === q.rubric) &&
    (!q.judge || s.judge === q.judge) && is(s.verdict, q.verdict));
}

function scored(item, q) {
  return !q.scorer || item.scores.some(s => s.source !== 'judge' && s.name === q.scorer &&
    s.status !== 'not_applicable' && is(s.verdict, q.scorer_verdict));
}

const is = (verdict, wanted) => !wanted || (verdict || 'none') === wanted;

const hasFlag = (item, code) => item.scores.some(s => (s.flags || []).some(f => !code || f.code === code));

function contains(item, text) {
  const has = s => Boolean(s) && s.toLowerCase().includes(text);
  return has(item.conversation) || has(item.tool) || has(item.place) ||
    item.scores.some(s => has(s.explanation) || has(s.evidence) || has(s.problem) || has(s.label));
}

const keys = {
  rank: (item, q) => ((q.show || '').startsWith('failing') ? item.failure : item.disagreement) || Infinity,
  tool: item => item.tool || '',
  verdict: item => item.verdict || '',
  confidence,
};

function compare(x, y, q) {
  const key = keys[q.sort] || (item => item.order);
  const [a, b] = [key(x, q), key(y, q)];
  const by = a < b ? -1 : a > b ? 1 : x.order - y.order;
  return q.down ? -by : by;
}

// confidence is the highest that a judge claims, -1 for none.
function confidence(item) {
  return Math.max(-1, ...item.scores.filter(s => s.source === 'judge').map(s => s.confidence ?? -1));
}
