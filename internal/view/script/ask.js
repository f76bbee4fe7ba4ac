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

// itemPath returns a path with an item; without a call it is a turn or the whole conversation.
const itemPath = (path, { conversation, call, turn, scope }, more) => path + '?' + new URLSearchParams({ conversation,
  ...(Number.isInteger(call) ? { call } : {}), ...(turn ? { turn } : {}), ...(scope ? { scope } : {}), ...more });
