// Every text reaches the page as a text node: nothing here parses HTML.

// el makes an element. Attributes: class, on (listeners), and whatever HTML has; children are
// nodes, texts, lists of them, or null for none.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  node.append(...children.flat(Infinity).filter(c => c !== null && c !== undefined && c !== ''));
  return node;
}

// fill puts children into a node in place of what it has.
function fill(node, ...children) {
  node.replaceChildren(...el('div', {}, ...children).childNodes);
}

const byId = id => document.getElementById(id);

// say puts values in the place of each # of one of the page's texts.
const say = (text, ...values) => text.split('#').map((part, i) => part + (values[i] ?? '')).join('');

// visible shows the characters of an id that cannot be seen, or that turn the direction of text.
const visible = text => String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu,
  c => '\\u' + c.codePointAt(0).toString(16).padStart(4, '0'));

const count = (n, one, many) => n + ' ' + (n === 1 ? one : many);

// short is a number with at most four digits.
const short = n => String(Number(n.toPrecision(4)));

const words = { pass: 'passes', fail: 'fails', '': 'no verdict' };

// badge is a verdict as a word with its colour and sign.
function badge(verdict, text) {
  const sign = { pass: '✓ ', fail: '✗ ' }[verdict] || '– ';
  return el('span', { class: 'badge ' + (verdict || 'none') }, sign, text || words[verdict || '']);
}
