// Sends the request of the form and shows its response.
const CREDENTIAL_KEY = 'colophon-docs:credential:';
/** Maximum length of a body that is shown. */
const MAX_SHOWN_LENGTH = 200_000;

/** @param {string} selector @param {ParentNode} parent */
const fieldsIn = (parent, selector) =>
  /** @type {(HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement)[]} */ ([
    ...parent.querySelectorAll(selector),
  ]);

/** @param {HTMLFormElement} form */
function enable(form) {
  const credentials = fieldsIn(form, '[data-credential]');
  for (const field of credentials) {
    const key = CREDENTIAL_KEY + field.dataset.credential;
    field.value = sessionStorage.getItem(key) ?? '';
    field.addEventListener('input', () => sessionStorage.setItem(key, field.value));
  }
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const output = /** @type {HTMLElement} */ (form.querySelector('.response'));
    output.replaceChildren(element('p', 'Sending …'));
    try {
      const { url, init } = requestOf(form);
      const started = performance.now();
      const response = await fetch(url, init);
      const content = await contentOf(response);
      const duration = Math.round(performance.now() - started);
      output.replaceChildren(...responseView(response, content, duration));
    } catch (error) {
      output.replaceChildren(element('p', error instanceof Error ? error.message : String(error), 'failure'));
    }
  });
}

/**
 * Creates the request of a form.
 * @param {HTMLFormElement} form
 * @returns {{ url: URL, init: RequestInit }}
 */
function requestOf(form) {
  const { method = 'GET', path = '' } = form.dataset;
  const headers = new Headers();
  const query = new URLSearchParams();
  let target = path;
  for (const field of fieldsIn(form, '[data-in]')) {
    const { in: location, name = '' } = field.dataset;
    const values = valuesOf(field);
    if (location === 'path') {
      target = target.replaceAll(
        `{${name}}`,
        encodeURIComponent(values[0] ?? '').replace(/^\.{1,2}$/, (dots) => dots.replaceAll('.', '%2E')),
      );
    } else if (location === 'query') {
      for (const value of values) {
        query.append(name, value);
      }
    } else if (values[0] !== undefined) {
      headers.set(name, credential(field.dataset.scheme, values[0]));
    }
  }
  const root = document.documentElement.dataset.root || './';
  const url = new URL(`${root}${target.slice(1)}`, location.href);
  url.search = String(query);
  const body = bodyOf(form, headers);
  return { url, init: { method, headers, ...(body !== undefined && { body }) } };
}

/** @param {string | undefined} scheme @param {string} value */
function credential(scheme, value) {
  if (scheme === 'basic') {
    return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(value)))}`;
  }
  return scheme === undefined ? value : `Bearer ${value.replace(/^Bearer\s+/i, '')}`;
}

/**
 * Returns the values of a parameter; none if the field is empty.
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field
 */
function valuesOf(field) {
  const { list } = field.dataset;
  if (field.value === '') {
    return [];
  }
  const lines = list === undefined ? [field.value] : field.value.split('\n').filter(Boolean);
  return list === 'joined' ? [lines.join(',')] : lines;
}

/**
 * @param {HTMLFormElement} form
 * @param {Headers} headers
 * @returns {BodyInit | undefined}
 */
function bodyOf(form, headers) {
  const body = form.querySelector('[data-body]');
  if (!(body instanceof HTMLElement)) {
    return undefined;
  }
  const type = body.dataset.body ?? '';
  if (body instanceof HTMLFieldSetElement) {
    const filled = fieldsIn(body, '[data-field]').filter((field) => field.value !== '');
    const isMultipart = type.startsWith('multipart/');
    const data = isMultipart ? new FormData() : new URLSearchParams();
    for (const field of filled) {
      const file = field instanceof HTMLInputElement ? field.files?.[0] : undefined;
      // Only the fields of multipart forms are files.
      data.append(field.dataset.field ?? '', /** @type {string} */ (file ?? field.value));
    }
    return filled.length === 0 ? undefined : data;
  }
  const file = body instanceof HTMLInputElement ? body.files?.[0] : undefined;
  const value =
    file ?? (body instanceof HTMLTextAreaElement && body.value.trim() !== '' ? body.value : undefined);
  if (value !== undefined) {
    headers.set('Content-Type', file?.type && type.includes('*') ? file.type : type);
  }
  return value;
}

/**
 * Reads a body as text, or as a file if it is binary.
 * @param {Response} response
 */
async function contentOf(response) {
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
function responseView(response, content, duration) {
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
function element(name, text, className = '') {
  const created = document.createElement(name);
  created.textContent = text;
  created.className = className;
  return created;
}

const form = document.querySelector('form.request');
if (form instanceof HTMLFormElement) {
  enable(form);
}
