/*
 * Evaluated before the script. Writes what the script logs to the standard output, one line for each entry: the ID of
 * the call, the level and the message. Collects the listeners of scripts that are not modules.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { format } from 'node:util';

/** Limits of the log of a call. The host enforces them too. */
const MAX_ENTRIES = 500;
const MAX_CHARACTERS = 65_536;
const MAX_MESSAGE_CHARACTERS = 8192;

const LEVELS = /** @type {const} */ ([
  ['debug', 'debug'],
  ['dir', 'info'],
  ['error', 'error'],
  ['info', 'info'],
  ['log', 'info'],
  ['table', 'info'],
  ['trace', 'debug'],
  ['warn', 'warn'],
]);

/** @typedef {{ id: string, entries: number, characters: number }} Call */

const write = console.log.bind(console);
/** @type {AsyncLocalStorage<Call>} */
const calls = new AsyncLocalStorage();
/** @type {Call} */
const startup = { id: 'startup', entries: 0, characters: 0 };

for (const [method, level] of LEVELS) {
  console[method] = (/** @type {unknown[]} */ ...values) => {
    const call = calls.getStore() ?? startup;
    if (call.entries >= MAX_ENTRIES || call.characters >= MAX_CHARACTERS) {
      return;
    }
    const message = format(...values).slice(0, MAX_MESSAGE_CHARACTERS);
    call.entries += 1;
    call.characters += message.length;
    write(`${call.id} ${level} ${message}`);
  };
}

/**
 * Runs a function whose log belongs to a call.
 *
 * @template Result
 * @param {string} id
 * @param {() => Promise<Result>} run
 */
export const runCall = (id, run) => calls.run({ id, entries: 0, characters: 0 }, run);

/**
 * Marks the end of the log of a call.
 *
 * @param {string} id
 */
export const endLog = (id) => write(`${id} end`);

/** @typedef {(event: object) => void} FetchListener */

/**
 * Listeners for `fetch` events.
 *
 * @type {FetchListener[]}
 */
export const listeners = [];
const { addEventListener } = globalThis;
/**
 * @param {string} type
 * @param {FetchListener} listener
 * @param {AddEventListenerOptions} [options]
 */
const addAnyListener = (type, listener, options) => {
  if (type === 'fetch') {
    listeners.push(listener);
  } else {
    addEventListener.call(globalThis, type, listener, options);
  }
};
Object.assign(globalThis, { addEventListener: addAnyListener });
