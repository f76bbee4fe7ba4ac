// ask gets the JSON of a path, or posts a body to it. Paths are relative to the run's.
async function ask(path, body) {
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(path, { ...request, cache: 'no-store', credentials: 'same-origin' });
  } catch {
    throw new Error(texts.serverGone);
  }
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

// itemPath returns a path with an item; a call of null means the whole conversation.
const itemPath = (path, conversation, call, more) => path + '?' +
  new URLSearchParams({ conversation, ...(call === null ? {} : { call }), ...more });
