import { describe, expect, test } from 'vitest';
import type { MultipartBody, OpenApiDocument } from '../../../server/contract/index.ts';
import { startProcessorClock } from '../../support/processes/processor-time.ts';
import { serveRouter, tableOf } from '../serve.ts';

/** Patterns that RegExp compares for ever: with an automaton, and with a deadline. */
const SLOW = { automaton: '^(a|a)*$', deadline: '^(a|a)*(?<=a)$' };
const HOSTILE = `${'a'.repeat(40)}!`;
/** Maximum processor time for rejecting all hostile requests. RegExp would take hours for each. */
const MAX_MS = 10_000;

const text = (pattern: string) => ({ type: 'string', pattern });
const body = (type: string, schema: object) => ({
  requestBody: { required: true, content: { [type]: { schema } } },
});
const object = (properties: object) => ({ type: 'object', properties });
const parameter = (part: string, pattern: string) => ({
  parameters: [{ name: 'p', in: part, required: part === 'path', schema: text(pattern) }],
});

/** Operations by the place of a pattern, with a hostile request and the field that its 400 names. */
function places(
  pattern: string,
): Record<string, { operation: object; path?: string; init?: RequestInit; field: string }> {
  const json = (schema: object, value: unknown, field: string) => ({
    operation: body('application/json', schema),
    init: {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(value),
    },
    field,
  });
  const form = new URLSearchParams({ p: HOSTILE });
  const multipart = new FormData();
  multipart.set('p', HOSTILE);
  return {
    path: { operation: parameter('path', pattern), path: `/${encodeURIComponent(HOSTILE)}`, field: 'path p' },
    query: {
      operation: parameter('query', pattern),
      path: `?p=${encodeURIComponent(HOSTILE)}`,
      field: 'query p',
    },
    header: { operation: parameter('header', pattern), init: { headers: { p: HOSTILE } }, field: 'header p' },
    cookie: {
      operation: parameter('cookie', pattern),
      init: { headers: { cookie: `p=${HOSTILE}` } },
      field: 'cookie p',
    },
    body: json(object({ p: text(pattern) }), { p: HOSTILE }, 'body p'),
    items: json(
      { type: 'array', items: text(pattern) },
      Array.from({ length: 2000 }, () => HOSTILE),
      'body 0',
    ),
    names: json({ type: 'object', propertyNames: text(pattern) }, { [HOSTILE]: 1 }, 'body'),
    patternProperties: json(
      { type: 'object', patternProperties: { [pattern]: {} }, additionalProperties: false },
      { [HOSTILE]: 1 },
      `body ${HOSTILE}`,
    ),
    union: json(
      { oneOf: [object({ p: text(pattern) }), { ...object({ p: text('^b'), q: {} }), required: ['q'] }] },
      { p: HOSTILE },
      'body p',
    ),
    form: {
      operation: body('application/x-www-form-urlencoded', object({ p: text(pattern) })),
      init: { method: 'POST', body: form },
      field: 'body p',
    },
    multipart: {
      operation: body('multipart/form-data', object({ p: text(pattern) })),
      init: { method: 'POST', body: multipart },
      field: 'body p',
    },
  };
}

describe.each(Object.entries(SLOW))(
  'a server whose contract has a pattern for the engine "%s"',
  (_engine, pattern) => {
    const cases = Object.entries(places(pattern));
    const responses = {
      200: { description: 'OK.', content: { 'application/json': { schema: text(pattern) } } },
    };
    const document: OpenApiDocument = {
      openapi: '3.1.0',
      info: { title: 'Patterns', version: '1' },
      paths: Object.fromEntries(
        cases.map(([place, { operation, init }]) => [
          `/${place}${place === 'path' ? '/{p}' : ''}`,
          {
            [init?.method === 'POST' ? 'post' : 'get']: { operationId: place, ...operation, responses },
          },
        ]),
      ),
    };
    const operations = tableOf(document);
    let isHostile = false;
    const serve = async () =>
      await serveRouter({
        ...{ document, operations, validateResponses: true, security: {} },
        handlers: Object.fromEntries(
          cases.map(([place]) => [
            place,
            async ({ body }: { body: unknown }) => {
              // Parts are validated when they are read.
              await (place === 'multipart' && (body as MultipartBody<object>).read());
              return isHostile ? HOSTILE : 'aaa';
            },
          ]),
        ),
        // The types of a generated table.
      } as never);

    test.each(cases)(
      'rejects a hostile text in the %s soon, and names it',
      async (place, { path = '', init, field }) => {
        const { url } = await serve();
        const elapsedMs = startProcessorClock();
        const response = await fetch(`${url}/${place}${path}`, init ?? {});
        expect(elapsedMs()).toBeLessThan(MAX_MS);
        expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining(field) } });
        expect(response.status).toBe(400);
      },
    );

    test('checks its responses soon', async () => {
      const { url, errors } = await serve();
      expect(await (await fetch(`${url}/query?p=aaa`)).json()).toBe('aaa');
      isHostile = true;
      const elapsedMs = startProcessorClock();
      expect((await fetch(`${url}/query?p=aaa`)).status).toBe(500);
      expect(elapsedMs()).toBeLessThan(MAX_MS);
      expect(errors()).toEqual([expect.stringContaining('must match pattern')]);
    });
  },
);
