import { describe, expect, test } from 'vitest';
import { Engine } from '../../../../spec/toolchain/conform/run/engine.ts';
import type { Event } from '../../../../spec/toolchain/conform/run/event.ts';
import { repeatAt } from '../../../../spec/toolchain/conform/run/phases/life-cycles.ts';
import { sequence } from '../../../../spec/toolchain/conform/run/phases/sequences.ts';
import type { Session } from '../../../../spec/toolchain/conform/run/session.ts';
import { Unresolved, type WireRequest } from '../../../../spec/toolchain/conform/wire/exchange.ts';
import { readContract } from '../../../../spec/toolchain/model/contract/read.ts';
import type { Step } from '../../../../spec/toolchain/model/plan/plan.ts';
import { documentOf } from '../../../../spec/toolchain/source.ts';

// Checks of a run with scripted responses.

const id = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const query = (name: string) => ({ name, in: 'query', schema: { type: 'string', maxLength: 50 } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const response = (schema: unknown) => ({ description: '', content: { 'application/json': { schema } } });
const notFound = { '404': { description: '' } };
const write = { content: { 'application/json': { schema: ref('PageWrite') } } };

/** Spaces with pages, which have a second form and can be printed. */
const document = {
  openapi: '3.1.0',
  info: { title: 'Pages', version: '1' },
  security: [{ token: [] }],
  paths: {
    '/spaces': { post: { operationId: 'createSpace', responses: { '201': response(ref('Space')) } } },
    '/spaces/{spaceId}': {
      parameters: [id('spaceId')],
      get: { operationId: 'getSpace', responses: { '200': response(ref('Space')), ...notFound } },
      delete: { operationId: 'deleteSpace', responses: { '204': { description: '' }, ...notFound } },
    },
    // The same path with another parameter name.
    '/spaces/{id}': {
      parameters: [id('id')],
      head: { operationId: 'headSpace', responses: { '200': { description: '' }, ...notFound } },
    },
    '/spaces/{spaceId}/pages': {
      parameters: [id('spaceId')],
      get: {
        operationId: 'listPages',
        parameters: [query('page')],
        responses: { '200': response(ref('PageList')), ...notFound },
      },
      post: {
        operationId: 'createPage',
        requestBody: write,
        responses: { '201': response(ref('Page')), ...notFound },
      },
    },
    '/spaces/{spaceId}/pages/{pageId}': {
      parameters: [id('spaceId'), id('pageId')],
      get: {
        operationId: 'getPage',
        parameters: [query('format')],
        responses: { '200': response(ref('Page')), ...notFound },
      },
      patch: {
        operationId: 'updatePage',
        requestBody: write,
        responses: { '204': { description: '' }, ...notFound },
      },
      delete: { operationId: 'deletePage', responses: { '204': { description: '' }, ...notFound } },
    },
    '/spaces/{spaceId}/pages/{pageId}/publish': {
      parameters: [id('spaceId'), id('pageId')],
      post: { operationId: 'publishPage', responses: { '204': { description: '' }, ...notFound } },
    },
    '/spaces/{spaceId}/print': {
      parameters: [id('spaceId')],
      get: {
        operationId: 'print',
        parameters: [query('page')],
        responses: { '200': response({ type: 'object' }), ...notFound },
      },
    },
  },
  components: {
    securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Space: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      PageWrite: { type: 'object', properties: { text: { type: 'string' }, title: { type: 'string' } } },
      Page: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string' }, text: { type: 'string' }, title: { type: 'string' } },
      },
      PageList: {
        type: 'object',
        properties: {
          items: { type: 'array', items: ref('Page') },
          next: { type: 'object', properties: { page: { type: 'string' } } },
        },
      },
    },
  },
};

type Reply = [status: number, body?: unknown];

/** Runs without a server: a function returns the response to every request, which is recorded. */
function runOver(reply: (request: WireRequest) => Reply): { engine: Engine; sent: WireRequest[] } {
  const sent: WireRequest[] = [];
  const send = async (request: WireRequest) => {
    sent.push(request);
    const [status, body] = reply(request);
    const text = body === undefined ? '' : JSON.stringify(body);
    const json = body === undefined ? {} : { json: JSON.parse(text) };
    const headers = { 'content-type': 'application/json' };
    return {
      request,
      milliseconds: 1,
      response: { status, headers, body: new TextEncoder().encode(text), ...json },
    };
  };
  const engine = new Engine({
    contract: readContract(documentOf('pages', document)),
    wire: {
      send,
      cleanUp: send,
      requests: () => sent.length,
      stops: () => 0,
      hasStopped: async () => false,
      close: () => {},
    },
    seed: 1,
    excludedChecks: [],
    touchExisting: false,
    progress: { update: () => {}, close: () => {} },
  });
  return { engine, sent };
}

/** Ids that are unique across entities. */
function creatingServer(): (request: WireRequest) => Reply {
  let created = 0;
  return ({ method, target }) => {
    created += 1;
    if (method === 'POST' && !target.endsWith('/publish')) {
      return [201, { id: `${target.endsWith('/pages') ? 'page' : 'space'}-${created}`, text: '', title: '' }];
    }
    if (method !== 'GET') {
      return [204];
    }
    if (/\/pages(\?|$)/.test(target)) {
      return [200, { items: [] }];
    }
    return [200, { id: target.split('/').at(-1)?.split('?')[0], text: '', title: '' }];
  };
}

const plain = { caller: 'own', query: [], headers: [] } as const;
const space = { spaceId: { step: 0, from: '/id' } };
const page = { ...space, pageId: { step: 1, from: '/id' } };
const json = (value: { text?: string; title?: string }) => ({
  mediaType: 'application/json',
  json: value,
  references: [],
});
const step = (operation: string, path: Step['path'], more: Partial<Step> = {}): Step => ({
  ...plain,
  query: [],
  headers: [],
  operation,
  path,
  ...more,
});
const createSpace = step('createSpace', {});
const createPage = step('createPage', space, { body: json({ text: 'a' }) });
const getPage = step('getPage', page);
const otherForm = step('getPage', page, { query: [['format', 'long']] });

/** Runs steps with scripted responses, in a session with entities from creations. */
async function checksOf(...steps: [step: Step, reply: Reply][]): Promise<string[]> {
  const replies = steps.map(([, reply]) => reply);
  const { engine } = runOver(() => replies.shift() ?? [500]);
  const { session } = engine.session('checks');
  const failures: Event['failures'] = [];
  for (const [item] of steps) {
    const event = await session.perform(item, { env: envOf(session) });
    failures.push(...(event?.failures ?? []));
  }
  return failures.map(({ check }) => check);
}

/** Entities that a session created, by noun. */
const envOf = (session: Session) => new Map(session.entities.map((entity) => [entity.slot.noun, entity]));

const createdSpace: [Step, Reply] = [createSpace, [201, { id: 's' }]];
const createdPage: [Step, Reply] = [createPage, [201, { id: 'p', text: 'a', title: 't' }]];

describe('the parameter of the next page', () => {
  test('never refers to an entity of the same name, unlike other parameters', async () => {
    const { engine, sent } = runOver(creatingServer());
    const factory = engine.session('pages');
    for (const id of ['listPages', 'print']) {
      for (let time = 0; time < 12; time += 1) {
        await factory.request(operationOf(engine, id), {
          parts: (requests, inputs) => requests.valid(inputs),
          includeOptional: true,
        });
      }
    }
    const named = sent.map(({ target }) => target).filter((target) => target.includes('?page='));
    expect(named.filter((target) => target.includes('/print?page=page-'))).not.toEqual([]);
    expect(named.filter((target) => target.includes('/pages?'))).toEqual([]);
  });
});

const operationOf = ({ resources }: Engine, id: string) => {
  const operation = resources.contract.operations.find((item) => item.id === id);
  if (!operation) {
    throw new Error(`The contract has no operation ${id}: use an existing ID.`);
  }
  return operation;
};

describe('a path without a parameter value', () => {
  test('is not sent', async () => {
    const { engine, sent } = runOver(creatingServer());
    const { session } = engine.session('missing');
    await session.perform(createSpace);
    await expect(session.perform(step('publishPage', space))).rejects.toThrow(Unresolved);
    expect(sent).toHaveLength(1);
  });

  test('does not result from another operation on the same path', async () => {
    const { engine, sent } = runOver(() => [201, { id: 's' }]);
    const factory = engine.session('again');
    await factory.session.perform(createSpace);
    const head = await factory.session.perform(step('headSpace', { id: { step: 0, from: '/id' } }));
    if (head) {
      await repeatAt(factory, operationOf(engine, 'getSpace'), head);
    }
    expect(sent.map(({ target }) => target)).toEqual(['/spaces', '/spaces/s', '/spaces/s']);
  });

  test('does not result from a sequence after a deletion', async () => {
    const { engine, sent } = runOver(creatingServer());
    const tested = new Set(engine.resources.contract.operations.map((item) => item.id));
    const { signal } = new AbortController();
    for (let number = 0; number < 80; number += 1) {
      await sequence(engine, { tested, secondToken: false, signal }, number);
    }
    const targets = sent.map(({ method, target }) => `${method} ${target.split('?')[0]}`);
    expect(targets.filter((target) => /^POST .*\/pages\/page-\d+\/publish$/.test(target))).not.toEqual([]);
    expect(targets.filter((target) => /[{}]|%7B/i.test(target))).toEqual([]);
  });
});

describe('a read with a query', () => {
  test('may return another form of the resource', async () => {
    const another: Reply = [200, { id: 'p', text: '<p>a</p>', title: 'T' }];
    const patch = step('updatePage', page, { body: json({ title: 'u' }) });
    const checks = await checksOf(
      createdSpace,
      createdPage,
      [otherForm, another],
      [getPage, [200, { id: 'p', text: 'a', title: 't' }]],
      [otherForm, another],
      [patch, [204]],
      [otherForm, another],
      [getPage, [200, { id: 'p', text: 'a', title: 'u' }]],
    );
    expect(checks).toEqual([]);
  });

  test('does not verify a write, which the next read without a query does', async () => {
    const checks = await checksOf(
      createdSpace,
      createdPage,
      [otherForm, [200, { id: 'p', text: '<p>a</p>' }]],
      [getPage, [200, { id: 'p', text: 'b', title: 't' }]],
    );
    expect(checks).toEqual(['read-after-create']);
  });

  test('verifies that the resource exists', async () => {
    const otherRead: [Step, Reply] = [otherForm, [200, { id: 'p' }]];
    const none: Reply = [404];
    expect(await checksOf(createdSpace, createdPage, [otherForm, none])).toEqual(['read-after-create']);
    // A write is no longer expected once something else happened, but later reads are.
    const other = step('createPage', space, { body: json({}) });
    const more: [Step, Reply] = [other, [201, { id: 'q', text: '', title: '' }]];
    expect(await checksOf(createdSpace, createdPage, more, [getPage, none])).toEqual([]);
    expect(await checksOf(createdSpace, createdPage, more, otherRead, [getPage, none])).toEqual([
      'read-after-create',
    ]);
    const removed: [Step, Reply] = [step('deletePage', page), [204]];
    expect(await checksOf(createdSpace, createdPage, removed, otherRead)).toEqual(['read-after-delete']);
  });

  test('does not verify a write that has a query itself', async () => {
    const written = { ...createPage, query: [['format', 'long'] satisfies [string, string]] };
    const checks = await checksOf(
      createdSpace,
      [written, [201, { id: 'p', text: '<p>a</p>', title: 'T' }]],
      [getPage, [200, { id: 'p', text: 'a', title: 't' }]],
    );
    expect(checks).toEqual([]);
  });
});

describe('a deletion by another user', () => {
  const foreignDeletion: [Step, Reply] = [step('deletePage', page, { caller: 'second' }), [204]];

  test('is a failure for a resource that its owner could read', async () => {
    expect(await checksOf(createdSpace, createdPage, foreignDeletion, [getPage, [404]])).toEqual([
      'isolation',
    ]);
    expect(
      await checksOf(createdSpace, createdPage, foreignDeletion, [
        getPage,
        [200, { id: 'p', text: 'a', title: 't' }],
      ]),
    ).toEqual([]);
  });

  test('is no failure for a resource that nobody could read', async () => {
    const otherPage: Step['path'] = { ...space, pageId: 'a-page-of-another-space' };
    const failedDeletion = step('deletePage', otherPage, { caller: 'second' });
    const read: [Step, Reply] = [step('getPage', otherPage), [404]];
    expect(await checksOf(createdSpace, [failedDeletion, [204]], read)).toEqual([]);
  });
});
