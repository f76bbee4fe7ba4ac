// A source gives the page its items and conversations. This one holds what is in the file;
// judge view has one that asks its server. Both have
//   items(query) -> Promise of {items, total}, query as Query in query.go
//   conversation(id) -> Promise of a Conversation as in conversation.go, null for none
//   missing: why a conversation is not there, a text

function embeddedSource(data) {
  const conversations = new Map(data.conversations.map(c => [c.id, c]));
  return {
    items: async query => select(data, query),
    conversation: async id => conversations.get(id) || null,
    missing: data.log_problem || texts.firstOnly,
  };
}

// select applies a query to the items of the file. Which terms an item has was decided when the
// page was made; only judge view's server does the same.
function select(data, query) {
  const wanted = (query.terms || []).map(term => data.terms.indexOf(term));
  const text = (query.text || '').toLowerCase();
  const found = data.items.filter(item => wanted.every(n => item.terms.includes(n)) &&
    (!query.conversation || item.conversation === query.conversation) && contains(item, text));
  found.sort((x, y) => compare(x, y, query));
  const from = query.offset || 0;
  return { total: found.length, items: found.slice(from, query.limit ? from + query.limit : undefined) };
}

function contains(item, text) {
  const said = item.scores.flatMap(s => [s.explanation, s.evidence, s.problem, s.label]);
  return [item.conversation, item.tool, item.place, ...said].some(s => (s || '').toLowerCase().includes(text));
}

const keys = {
  failure: item => item.failure || Infinity,
  disagreement: item => item.disagreement || Infinity,
  tool: item => item.tool || '',
  verdict: item => item.verdict || '',
  confidence,
};

function compare(x, y, q) {
  const key = keys[q.sort] || (item => item.order);
  const [a, b] = [key(x), key(y)];
  const by = a < b ? -1 : a > b ? 1 : x.order - y.order;
  return q.down ? -by : by;
}

// confidence is the highest that a judge claims, -1 for none.
function confidence(item) {
  return Math.max(-1, ...item.scores.filter(s => s.source === 'judge').map(s => s.confidence ?? -1));
}
