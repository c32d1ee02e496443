// Sends the request of the form and shows its response.
import { fillPath, headerText, pairsOf, partsOf, pathText } from './notation.js';
import { contentOf, element, responseView } from './response.js';

const CREDENTIAL_KEY = 'colophon-docs:credential:';
/** Time after which cookies of a request expire, if the page is closed before the response. */
const MAX_COOKIE_SECONDS = 60;

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
      const { url, init, cookies } = requestOf(form);
      const started = performance.now();
      const response = await sendWithCookies(url, init, cookies);
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
 * @returns {{ url: URL, init: RequestInit, cookies: [name: string, text: string][] }}
 */
function requestOf(form) {
  const { method = 'GET', path = '' } = form.dataset;
  const headers = new Headers();
  /** @type {Map<string, string>} */
  const inPath = new Map();
  /** @type {[name: string, text: string][]} */
  const query = [];
  /** @type {[name: string, text: string][]} */
  const cookies = [];
  for (const field of fieldsIn(form, '[data-notation]')) {
    const notation = notationOf(field);
    const value = readValue(field);
    if (notation.in === 'query') {
      query.push(...(isSentEmpty(form, field) ? emptyPair(notation) : pairsOf(notation, value)));
    } else if (notation.in === 'cookie') {
      cookies.push(...pairsOf(notation, value));
    } else if (value !== undefined && notation.in === 'path') {
      inPath.set(notation.name, pathText(notation, value));
    } else if (value !== undefined && notation.in === 'header') {
      headers.set(notation.name, headerText(notation, value));
    }
  }
  for (const field of fieldsIn(form, '[data-credential]').filter(({ value }) => value !== '')) {
    const { in: location, name = '', scheme } = field.dataset;
    if (location === 'query') {
      query.push([encodeURIComponent(name), encodeURIComponent(field.value)]);
    } else {
      headers.set(name, credential(scheme, field.value));
    }
  }
  const root = document.documentElement.dataset.root || './';
  const target = fillPath(path, (name) => inPath.get(name));
  const search = query.map((pair) => pair.join('=')).join('&');
  const url = new URL(`${root}${target.slice(1)}${search === '' ? '' : `?${search}`}`, location.href);
  const body = bodyOf(form, headers);
  return { url, init: { method, headers, ...(body !== undefined && { body }) }, cookies };
}

/**
 * Sends a request with cookies. Scripts cannot set them for a request, but for the path of the page that it requests: they
 * are set until its response has arrived, and do not replace those of other paths.
 * @param {URL} url
 * @param {RequestInit} init
 * @param {[name: string, text: string][]} pairs
 */
async function sendWithCookies(url, init, pairs) {
  /** @type {Map<string, string>} */
  const cookies = new Map();
  for (const [name, text] of pairs) {
    // A path has one cookie of a name. The items of a list are separated as in a query.
    const previous = cookies.get(name);
    cookies.set(name, previous === undefined ? text : `${previous}&${name}=${text}`);
  }
  /** @param {number} seconds */
  const setAll = (seconds) => {
    for (const [name, text] of cookies) {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API does not exist on pages without HTTPS.
      document.cookie = `${name}=${text}; Path=${url.pathname}; Max-Age=${seconds}; SameSite=Strict`;
    }
  };
  setAll(MAX_COOKIE_SECONDS);
  try {
    return await fetch(url, init);
  } finally {
    setAll(0);
  }
}

/**
 * @param {HTMLElement} field
 * @returns {import('./notation.js').Notation}
 */
const notationOf = (field) => JSON.parse(field.dataset.notation ?? '{}');

/**
 * Whether the parameter of an empty field is sent without a value.
 * @param {ParentNode} form
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field
 */
function isSentEmpty(form, field) {
  const choice = form.querySelector(`[data-empty="${CSS.escape(field.id)}"]`);
  return choice instanceof HTMLInputElement && choice.checked && field.value === '';
}

/**
 * @param {import('./notation.js').Notation} notation
 * @returns {[name: string, text: string][]}
 */
const emptyPair = ({ name }) => [[encodeURIComponent(name), '']];

/** @param {string | undefined} scheme @param {string} value */
function credential(scheme, value) {
  if (scheme === 'basic') {
    return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(value)))}`;
  }
  return scheme === undefined ? value : `Bearer ${value.replace(/^Bearer\s+/i, '')}`;
}

/**
 * Returns the value of a field; undefined if it is empty.
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field
 * @returns {unknown}
 */
function readValue(field) {
  const { value } = field;
  const { input } = field.dataset;
  if (value === '') {
    return undefined;
  }
  if (input === 'lines') {
    return value.split('\n').filter(Boolean);
  }
  if (input === 'json' || (input === 'mixed' && /^\s*[[{]/.test(value))) {
    try {
      return JSON.parse(value);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`${notationOf(field).name || 'Other fields'} is not valid JSON: ${reason}`);
    }
  }
  return value;
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
    return type.startsWith('multipart/') ? partsIn(body) : fieldsOf(body);
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
 * Returns the values of the fields of a form with their notation.
 * @param {HTMLElement} body
 * @returns {{ notation: import('./notation.js').Notation, value: unknown }[]}
 */
const valuesIn = (body) =>
  fieldsIn(body, '[data-notation]').flatMap((field) => {
    const [notation, value] = [notationOf(field), readValue(field)];
    return field.dataset.others === undefined
      ? [{ notation, value }]
      : Object.entries(Object(value)).map(([name, member]) => ({
          notation: { ...notation, name },
          value: member,
        }));
  });

/**
 * Returns a URL-encoded form; undefined if all fields are empty.
 * @param {HTMLElement} body
 */
function fieldsOf(body) {
  const pairs = valuesIn(body).flatMap(({ notation, value }) => pairsOf(notation, value));
  return pairs.length === 0
    ? undefined
    : new Blob([pairs.map((pair) => pair.join('=')).join('&')], {
        type: 'application/x-www-form-urlencoded',
      });
}

/**
 * Returns a form with parts; undefined if all fields are empty.
 * @param {HTMLElement} body
 */
function partsIn(body) {
  const data = new FormData();
  for (const field of fieldsIn(body, 'input[type="file"]')) {
    for (const file of field instanceof HTMLInputElement ? (field.files ?? []) : []) {
      data.append(notationOf(field).name, file);
    }
  }
  for (const { notation, value } of valuesIn(body).filter(({ notation }) => !data.has(notation.name))) {
    for (const { text, type } of partsOf(notation, value)) {
      // Only a part with a file name can have a media type.
      data.append(notation.name, type === undefined ? text : new Blob([text], { type }));
    }
  }
  return [...data.keys()].length === 0 ? undefined : data;
}

const form = document.querySelector('form.request');
if (form instanceof HTMLFormElement) {
  enable(form);
}
