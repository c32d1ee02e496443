import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { curlLines } from '../../../../spec/toolchain/conform/report/curl.ts';
import { jqFilter, quote } from '../../../../spec/toolchain/conform/report/shell.ts';
import { valueAt } from '../../../../spec/toolchain/conform/run/resolve.ts';
import type { Exchange } from '../../../../spec/toolchain/conform/wire/exchange.ts';
import { requestWith } from '../../../../spec/toolchain/conform/wire/request.ts';
import { createWire } from '../../../../spec/toolchain/conform/wire/wire.ts';
import type {
  Contract,
  HttpMethod,
  Operation,
  Requirement,
  SecurityScheme,
} from '../../../../spec/toolchain/model/contract/contract.ts';
import type { Body, Caller, Plan, Step, Value } from '../../../../spec/toolchain/model/plan/plan.ts';

const has = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const missing = ['bash', 'curl', 'jq'].filter((program) => !has(program));
if (missing.length > 0) {
  console.warn(`Lines for curl are not tried: ${missing.join(', ')} is not on this machine.`);
}

interface Received {
  method: string | undefined;
  target: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

const TOKENS = { own: 'col_abcdefgh$1', second: 'a:b"c' };
/** First response of the server. Later requests use values from it. */
const ANSWER = {
  id: "widget/1 'ü'",
  number: 12,
  flag: true,
  'odd name': { list: ['zero', { deep: 'x"y' }] },
  self: { href: 'https://api.example.com/widgets/w%2F1%20a/?x=1' },
  next: 'https://api.example.com/widgets?limit=2&cursor=ab%2Fc%20d&z=1',
};

let server: Server;
let url: URL;
let received: Received[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const { method, url: target, headers } = request;
    received.push({ method, target, headers, body: Buffer.concat(chunks).toString('base64') });
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('ETag', '"v 1"').setHeader('Location', 'http://api.example.com/v1/widgets/t%201/?x#y');
    response.setHeader('Link', '</first?cursor=no>; rel="prev", </widgets?limit=1&cursor=n%2F1>; rel="next"');
    response.end(JSON.stringify(ANSWER));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a listening TCP server is never a string or null.
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  received = [];
});

const scheme = (kind: SecurityScheme['kind'], parameter?: string): readonly Requirement[] => [
  [{ name: kind, kind, ...(parameter !== undefined && { parameter }) }],
];

function operation(
  id: string,
  method: HttpMethod,
  path: string,
  security: readonly Requirement[] = [],
): Operation {
  const names = [...path.matchAll(/\{(.*?)\}/g)].map((match) => match[1] ?? '');
  const parameters = names.map((name) => ({
    name,
    in: 'path' as const,
    required: true,
    style: 'simple' as const,
    explode: false,
    allowReserved: false,
    schema: {},
    examples: [],
  }));
  return { id, method, path, parameters, body: undefined, responses: {}, security, deprecated: false };
}

const operations = [
  operation('get', 'GET', '/widgets/{id}'),
  operation('list', 'GET', '/widgets'),
  operation('head', 'HEAD', '/widgets/{id}'),
  operation('post', 'POST', '/widgets'),
  operation('remove', 'DELETE', '/widgets/{id}'),
  operation('bearer', 'POST', '/bearer', scheme('bearer')),
  operation('basic', 'GET', '/basic', scheme('basic')),
  operation('header', 'GET', '/header', scheme('header', 'X-Key')),
  operation('query', 'GET', '/query', scheme('query', 'the key')),
  operation('cookie', 'GET', '/cookie', scheme('cookie', 'sid')),
];
const contract: Contract = { title: 'Widgets', version: '1', operations, components: {} };
const step = (id: string, more: Partial<Step> = {}): Step => ({
  operation: id,
  caller: 'own',
  path: {},
  query: [],
  headers: [],
  ...more,
});

/** Sends a plan, then runs its commands in bash. Returns the requests that the server received for each. */
async function both(...steps: Step[]): Promise<{ sent: Received[]; pasted: Received[]; lines: string[] }> {
  const plan: Plan = { title: 'try', steps };
  const wire = createWire({ url, tokens: TOKENS, limits: {} });
  const exchanges: Exchange[] = [];
  for (const item of steps) {
    const operation = operations.find(({ id }) => id === item.operation);
    if (!operation) {
      throw new Error(`There is no operation ${item.operation}.`);
    }
    exchanges.push(
      await wire.send(requestWith(operation, item, (reference) => valueAt(reference, (n) => exchanges[n]))),
    );
  }
  wire.close();
  const sent = received.splice(0);
  const lines = curlLines(plan, contract, exchanges, url.href);
  await bash(lines.join('\n'));
  return { sent: sent.map(comparable), pasted: received.splice(0).map(comparable), lines };
}

/** Headers that identify programs are not compared. */
function comparable({ headers, ...rest }: Received): Received {
  const { 'user-agent': _agent, connection: _connection, ...same } = headers;
  return { ...rest, headers: same };
}

async function bash(script: string): Promise<void> {
  const child = spawn('bash', ['-euo', 'pipefail', '-s'], {
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', TOKEN: TOKENS.own, SECOND_TOKEN: TOKENS.second },
  });
  let output = '';
  child.stdout.resume();
  child.stderr.on('data', (data) => {
    output += data;
  });
  child.stdin.end(script);
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) {
    throw new Error(`bash ended with ${code}: ${output}\n${script}`);
  }
}

describe.skipIf(missing.length > 0)('curl commands send the same requests as the run', () => {
  const json = (value: unknown): Body => ({
    mediaType: 'application/json',
    json: JSON.parse(JSON.stringify(value)),
    references: [],
  });

  test.each<[string, Step]>([
    ['a plain request', step('get', { path: { id: 'a' } })],
    [
      'a path with unusual characters',
      step('get', { path: { id: 'a/b?c#d\'e"f$g`h\\i é\u{1f600}[1-3]{a,b}' } }),
    ],
    [
      'dots in a path',
      step('get', { fault: { name: 'raw', kind: 'input', rawPath: { id: '../..//x/./y' } } }),
    ],
    [
      'broken percent-encoding',
      step('get', { fault: { name: 'raw', kind: 'input', rawPath: { id: '%zz%' } } }),
    ],
    ['a fragment', step('get', { fault: { name: 'raw', kind: 'input', rawPath: { id: 'a#b' } } })],
    [
      'a query',
      step('list', {
        query: [
          ['a', "1 2+3&4'5"],
          ['a', ''],
          ['b[]', '%'],
        ],
      }),
    ],
    [
      'headers',
      step('list', {
        headers: [
          ['X-One', 'a "b" $c `d` \\'],
          ['X-Empty', ''],
          ['X-At', '@file'],
          ['Accept', 'text/plain'],
        ],
      }),
    ],
    ['HEAD', step('head', { path: { id: 'a' } })],
    ['DELETE', step('remove', { path: { id: 'a' } })],
    ['an unusual method', step('list', { fault: { name: 'method', kind: 'method', method: 'PROPFIND' } })],
    ['no body where one is usual', step('post')],
    ['an empty body', step('post', { body: { mediaType: 'application/json', text: '' } })],
    [
      'JSON',
      step('post', {
        body: json({ a: 'it\'s $HOME `id` \\ "q" \u0000 \u007f \n é \ud800', b: [1.5e300, -0, null] }),
      }),
    ],
    [
      'a text like the name of a file',
      step('post', { body: { mediaType: 'text/plain', text: '@/etc/hostname\nline\n' } }),
    ],
    [
      'a text with control characters',
      step('post', { body: { mediaType: 'text/plain', text: 'a\u0000b\r\n\u001b' } }),
    ],
    [
      'bytes',
      step('post', {
        body: {
          mediaType: 'application/octet-stream',
          base64: Buffer.from([0, 10, 39, 255, 13, 10]).toString('base64'),
        },
      }),
    ],
    ['a body without a media type', step('post', { body: { mediaType: '', text: 'x=1' } })],
    ['a long text', step('post', { body: { mediaType: 'text/plain', text: "it's ".repeat(60_000) } })],
    ['a body with GET', step('list', { body: json({ a: 1 }) })],
    ['cookies', step('cookie', { headers: [['Cookie', "a=b'c"]] })],
  ])('%s', async (_, item) => {
    const { sent, pasted } = await both(item);
    expect(sent).toHaveLength(1);
    expect(pasted).toEqual(sent);
  });

  test.each<[string, Caller]>(
    ['bearer', 'basic', 'header', 'query', 'cookie'].flatMap((id) =>
      (['own', 'second', 'anonymous', 'unknown', 'malformed'] as const).map((caller): [string, Caller] => [
        id,
        caller,
      ]),
    ),
  )('credentials: %s of %s', async (id, caller) => {
    const names = caller === 'malformed' ? ['a', 'b', 'c', 'd', 'e', 'f'] : ['a'];
    for (const name of names) {
      const { sent, pasted, lines } = await both(
        step(id, { caller, fault: { name, kind: 'authentication' } }),
      );
      expect(pasted).toEqual(sent);
      expect(lines.join()).not.toContain('abcdefgh');
      expect(lines.join()).not.toContain('a:b');
    }
  });

  const from = (location: string): Value => ({ step: 0, from: location });
  test.each<[string, Partial<Step>]>([
    ['one in the path', { path: { id: from('/id') } }],
    ['one in the query', { path: { id: 'x' }, query: [['q', from('/odd name/list/1/deep')]] }],
    ['one in a header', { path: { id: 'x' }, headers: [['X-Id', from('/number')]] }],
    ['the tag of a version', { path: { id: from('/number') }, headers: [['If-Match', from('header:etag')]] }],
    ['the last part of Location', { path: { id: from('header:location') } }],
    ['a query parameter of Link', { path: { id: 'x' }, query: [['cursor', from('header:link?cursor')]] }],
    [
      'a query parameter of an address in the body',
      { path: { id: 'x' }, query: [['cursor', from('/next?cursor')]] },
    ],
    [
      'the last part of an address in the body',
      { path: { id: from('/self/href#') }, headers: [['X-Id', from('/self/href#')]] },
    ],
    [
      'an address, and another form of it',
      { path: { id: from('/next?cursor') }, headers: [['X-Cursor', from('/next?cursor')]] },
    ],
    [
      'several in a body',
      {
        path: { id: from('/id') },
        body: {
          mediaType: 'application/json',
          json: { a: 0, list: ["it's", 0, 0], b: 0 },
          references: [
            { at: ['a'], value: { step: 0, from: '/id' } },
            { at: ['list', 1], value: { step: 0, from: '/number' } },
            { at: ['list', 2], value: { step: 0, from: '/flag' } },
            { at: ['b'], value: { step: 0, from: 'header:location' } },
          ],
        },
      },
    ],
  ])('values of earlier responses: %s', async (_, later) => {
    const { sent, pasted, lines } = await both(
      step('post'),
      step('remove', later),
      step('get', { path: { id: 'end' } }),
    );
    expect(lines).toHaveLength(3);
    expect(pasted).toEqual(sent);
  });

  test('a step that was not sent is omitted', () => {
    expect(curlLines({ title: '', steps: [step('list')] }, contract, [], url.href)).toEqual([]);
  });
});

describe('shell quoting', () => {
  test.each([
    ['abc-1.2/x', 'abc-1.2/x'],
    ['', "''"],
    ["it's", "'it'\\''s'"],
    ['$a b', "'$a b'"],
  ])('%s', (text, word) => {
    expect(quote(text)).toBe(word);
  });

  test.each([
    ['', undefined, '.'],
    ['/a/b_1', undefined, '.a.b_1'],
    ['/0/a', [{ a: 1 }], '.[0].a'],
    ['/a/0', { a: { 0: 1 } }, '.a["0"]'],
    ['/a~1b/c~0"', undefined, '.["a/b"]["c~\\""]'],
  ])('the jq filter of %s', (pointer, json, filter) => {
    expect(jqFilter(pointer, json)).toBe(filter);
  });
});
