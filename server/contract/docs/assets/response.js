// Shows the response of a request.
/** Maximum length of a body that is shown. */
const MAX_SHOWN_LENGTH = 200_000;

/**
 * Reads a body as text, or as a file if it is binary.
 * @param {Response} response
 */
export async function contentOf(response) {
  const type = response.headers.get('Content-Type') ?? '';
  const isText =
    type === '' || /^text\/|[/+](json|xml|javascript|yaml|x-ndjson|x-www-form-urlencoded)\b/i.test(type);
  if (!isText) {
    return await response.blob();
  }
  const text = await response.text();
  if (!/[/+]json\b/i.test(type)) {
    return text;
  }
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * @param {Response} response
 * @param {string | Blob} content
 * @param {number} duration
 */
export function responseView(response, content, duration) {
  const line = element('p', '', 'status-line');
  const state = `${response.status} ${response.statusText}`.trim();
  line.append(element('strong', state, response.ok ? 'success' : 'failure'), ` in ${duration} ms`);
  const headers = element('details', '');
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  headers.append(element('summary', 'Headers'), block(lines, 'Headers of the response'));
  if (typeof content !== 'string') {
    const link = element('a', `Download the body (${content.size} bytes)`);
    link.setAttribute('href', URL.createObjectURL(content));
    link.setAttribute('download', '');
    return [line, headers, link];
  }
  const shown = content.slice(0, MAX_SHOWN_LENGTH);
  const rest = content.length - shown.length;
  return [
    line,
    headers,
    ...(content === '' ? [] : [block(shown, 'Body of the response')]),
    ...(rest === 0 ? [] : [element('p', `${rest} more characters are not shown.`)]),
  ];
}

/** @param {string} text @param {string} label */
function block(text, label) {
  const pre = element('pre', text);
  pre.tabIndex = 0;
  pre.setAttribute('role', 'group');
  pre.setAttribute('aria-label', label);
  return pre;
}

/** @param {string} name @param {string} text @param {string} [className] */
export function element(name, text, className = '') {
  const created = document.createElement(name);
  created.textContent = text;
  created.className = className;
  return created;
}
