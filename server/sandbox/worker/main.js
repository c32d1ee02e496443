/* Entry module of the process of a script: passes calls on to the script. */
import { endLog, listeners, runCall } from './console.js';
// @ts-expect-error: the script of the integration, which exists in the folder of the process only.
import * as script from './script.js';

const CALL = 'colophon-call';
const BACKGROUND = 'colophon-background';

/** @typedef {{ waitUntil(promise: unknown): void }} Context */

export default {
  /**
   * @param {Request} received
   * @param {object} env
   * @param {Context} context
   */
  async fetch(received, env, context) {
    const id = received.headers.get(CALL);
    if (id === null) {
      // The host asks whether the event loop is blocked.
      return new Response();
    }
    const awaitsBackground = received.headers.get(BACKGROUND) === 'await';
    const request = new Request(received);
    request.headers.delete(CALL);
    request.headers.delete(BACKGROUND);
    /** @type {Promise<unknown>[]} */
    const background = [];
    const scriptContext = {
      props: {},
      passThroughOnException() {},
      waitUntil(/** @type {unknown} */ promise) {
        const settled = Promise.resolve(promise).catch((error) => console.error(error));
        background.push(settled);
        context.waitUntil(settled);
      },
    };
    return await runCall(id, async () => {
      try {
        return await respond(request, env, scriptContext);
      } catch (error) {
        console.error(error);
        return new Response('Internal Server Error', { status: 500 });
      } finally {
        if (awaitsBackground) {
          context.waitUntil(settle(background).then(() => endLog(id)));
        } else {
          endLog(id);
        }
      }
    });
  },
};

/**
 * Waits for all work in the background, including what that work adds.
 *
 * @param {Promise<unknown>[]} background
 */
async function settle(background) {
  while (background.length > 0) {
    await Promise.all(background.splice(0));
  }
}

/**
 * Calls the handler of the script: that of its default export (a module), or its listeners.
 *
 * @param {Request} request
 * @param {object} env
 * @param {Context} context
 */
async function respond(request, env, context) {
  const handler = script.default;
  const response = await (typeof handler?.fetch === 'function'
    ? handler.fetch(request, env, context)
    : dispatch(request, context));
  if (!(response instanceof Response)) {
    throw new TypeError('The script returned no Response for the event.');
  }
  return response;
}

/**
 * Calls the listeners of the script until one responds.
 *
 * @param {Request} request
 * @param {Context} context
 */
async function dispatch(request, context) {
  /** @type {unknown[]} */
  const responses = [];
  const respondWith = (/** @type {unknown} */ response) => void responses.push(response);
  for (const listener of listeners) {
    listener({ ...context, type: 'fetch', request, respondWith });
    if (responses.length > 0) {
      return await responses[0];
    }
  }
  throw new TypeError('The script exports no fetch handler, and no listener responded to the event.');
}
