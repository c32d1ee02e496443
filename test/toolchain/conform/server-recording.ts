import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

// A server with resources of its own that reads identifiers as leniently as any server could, has operations that
// change what exists, and records which of its own resources each write would change.

const json = (schema: unknown) => ({ description: '', content: { 'application/json': { schema } } });
const done = { '200': json({ type: 'object' }), '204': { description: '' }, default: { description: '' } };
const body = (schema: unknown) => ({ content: { 'application/json': { schema } } });
const path = (name: string, schema: unknown) => ({ name, in: 'path', required: true, schema });
const todoId = path('todoId', { type: 'integer', minimum: 1, maximum: 2 ** 31 - 1 });
const slug = path('slug', { type: 'string', pattern: '^[a-z0-9-]+$', maxLength: 60 });
const todo = {
  type: 'object',
  required: ['title'],
  properties: {
    id: { type: 'integer' },
    title: { type: 'string', maxLength: 20 },
    done: { type: 'boolean' },
  },
};
const note = { type: 'object', properties: { slug: { type: 'string' }, text: { type: 'string' } } };
const operation = (operationId: string, more: object = {}) => ({ operationId, responses: done, ...more });

/** Contract of the server. */
export const recordingDocument = {
  openapi: '3.1.0',
  info: { title: 'Recording', version: '1' },
  paths: {
    '/todos': {
      get: operation('listTodos', { responses: { '200': json({ type: 'array', items: todo }) } }),
      post: operation('createTodo', {
        requestBody: { required: true, ...body(todo) },
        responses: { '201': json(todo), default: { description: '' } },
      }),
      put: operation('replaceTodos', { requestBody: body({ type: 'array', items: todo }) }),
      patch: operation('updateTodos', { requestBody: body(todo) }),
      delete: operation('deleteTodos'),
    },
    '/todos/{todoId}': {
      parameters: [todoId],
      get: operation('getTodo', { responses: { '200': json(todo), default: { description: '' } } }),
      put: operation('replaceTodo', { requestBody: body(todo) }),
      patch: operation('updateTodo', { requestBody: body(todo) }),
      delete: operation('deleteTodo'),
    },
    '/todos/{todoId}/complete': { parameters: [todoId], post: operation('completeTodo') },
    '/todos/clear': { post: operation('clearTodos') },
    '/notes': { get: operation('listNotes', { responses: { '200': json({ type: 'array', items: note }) } }) },
    '/notes/{slug}': {
      parameters: [slug],
      get: operation('getNote', { responses: { '200': json(note), default: { description: '' } } }),
      patch: operation('updateNote', { requestBody: body(note) }),
      delete: operation('deleteNote'),
    },
    '/notes/{slug}/comments': {
      parameters: [slug],
      post: operation('createComment', { requestBody: body(note) }),
      delete: operation('deleteComments'),
    },
    '/session': {
      post: operation('logIn', {
        responses: {
          '200': {
            ...json({ type: 'object', properties: { userId: { type: 'integer' } } }),
            links: { user: { operationId: 'deleteUser', parameters: { userId: '$response.body#/userId' } } },
          },
        },
      }),
    },
    '/users/{userId}': {
      parameters: [path('userId', { type: 'integer' })],
      get: operation('getUser'),
      delete: operation('deleteUser'),
    },
    '/settings': {
      get: operation('getSettings'),
      put: operation('replaceSettings', { requestBody: body(note) }),
    },
    '/settings/{section}': {
      parameters: [path('section', { enum: ['mail', 'style'] })],
      put: operation('replaceSection', { requestBody: body(note) }),
    },
    '/{locale}/theme': {
      parameters: [path('locale', { type: 'string' })],
      put: operation('replaceTheme', { requestBody: body(note) }),
    },
    '/reset': { post: operation('reset') },
    '/status': { get: operation('getStatus') },
  },
};

/** A write that would change a resource of the server. */
export interface Harm {
  method: string;
  target: string;
  body: string;
  /** The changed resources: `todo 1`. */
  changed: string[];
}

interface Recording extends AsyncDisposable {
  url: URL;
  /** Number of all writes. */
  writes(): number;
  harms: readonly Harm[];
}

/** Numbers of the resources of the server; those that a run creates have larger ones. */
const OWN_IDS = [0, 1, 2, 3, 5, 8, 10, 16];
const OWN_SLUGS = ['a', 'b', 'x', 'note', 'null', 'undefined', 'true', '1'];

/** Separators of lists, extensions and path segments. */
const SEPARATORS = /[\s,;|./?#\\]+/;

/** Starts the server. */
export async function startRecording(): Promise<Recording> {
  const harms: Harm[] = [];
  const created = new Map<number, Record<string, unknown>>();
  let nextId = 100;
  let writes = 0;

  const server = createServer(async (request, response) => {
    const content = await textOf(request);
    const method = request.method ?? '';
    const target = request.url ?? '/';
    if (!['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'].includes(method)) {
      writes += 1;
      const changed = changedBy(method, target, content);
      if (changed.length > 0) {
        harms.push({ method, target, body: content, changed });
      }
    }
    const [status, value] = reply(method, target.split('?')[0] ?? '', content);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(status === 204 ? undefined : JSON.stringify(value));
  });

  function reply(method: string, pathname: string, content: string): [status: number, value?: unknown] {
    const [, collection, id] = pathname.split('/');
    if (collection === 'todos' && id === undefined && method === 'POST') {
      nextId += 1;
      const row = { ...fieldsOf(content), id: nextId };
      created.set(nextId, row);
      return [201, row];
    }
    if (collection === 'todos' && id === undefined) {
      return [200, [...OWN_IDS.map((own) => ({ id: own, title: 'own' })), ...created.values()]];
    }
    if (collection === 'todos') {
      const row = created.get(Number(id)) ?? (OWN_IDS.includes(Number(id)) ? { id: Number(id) } : undefined);
      if (method === 'DELETE') {
        return created.delete(Number(id)) ? [204] : [404, {}];
      }
      return row ? [200, { title: 'own', ...row }] : [404, {}];
    }
    if (collection === 'notes') {
      return id === undefined ? [200, OWN_SLUGS.map((own) => ({ slug: own }))] : [200, { slug: id }];
    }
    return collection === 'session' ? [200, { userId: 1 }] : [200, {}];
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a listening TCP server is never a string or null.
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    writes: () => writes,
    harms,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Returns the resources of the server that a write would change if the server accepted it in any way. */
function changedBy(method: string, target: string, content: string): string[] {
  const segments = (target.split('?')[0] ?? '').split('/').slice(1);
  const [collection = '', id, action] = segments.map(decoded);
  if (collection === 'todos' && id === undefined && method === 'POST') {
    // The server replaces a todo if the body has its identifier.
    return itemsOf(content).flatMap((item) => numbersIn(item.id).map((own) => `todo ${own}`));
  }
  if (collection === 'todos' && id !== undefined && id !== 'clear') {
    return numbersIn(id).map((own) => `todo ${own}`);
  }
  if (collection === 'users' && id !== undefined) {
    return numbersIn(id).map((own) => `user ${own}`);
  }
  if (collection === 'notes' && id !== undefined) {
    return action === 'comments' && method === 'POST' ? [] : slugsIn(id).map((own) => `note ${own}`);
  }
  if (collection === 'settings' && id !== undefined) {
    return ['mail', 'style'].filter((section) => partsOf(id).includes(section));
  }
  // Logging in changes nothing; everything else changes whatever exists.
  return collection === 'session' && method === 'POST' ? [] : [`all of ${segments.join('/')}`];
}

/** Returns the numbers of the server's resources that a lenient parser could read from a value. */
function numbersIn(value: unknown): number[] {
  if (value === undefined || value === null) {
    return [];
  }
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).normalize('NFKC');
  const parts = [text, decoded(text), ...text.split(SEPARATORS)].filter((part, at) => at < 2 || part !== '');
  const numbers = parts.flatMap((part) => [
    Number(part),
    Number.parseInt(part, 10),
    Number.parseFloat(part),
    Number.parseInt(part.replace(/^[^\d-]+/, ''), 10),
    // As in C and PHP, where a text without a number is 0.
    Number.parseInt(part, 10) | 0,
    Number(value),
  ]);
  const read = new Set(numbers.map((number) => Math.abs(Math.trunc(number))));
  return OWN_IDS.filter((own) => read.has(own));
}

/** Returns the slugs of the server's resources that a lenient server could read from a text. */
function slugsIn(text: string): string[] {
  const read = partsOf(text);
  return read.includes('') ? ['all'] : OWN_SLUGS.filter((own) => read.includes(own));
}

function partsOf(text: string): string[] {
  const plain = decoded(text).normalize('NFKC').toLowerCase();
  return [plain, plain.trim(), ...plain.split(SEPARATORS).filter((part) => part !== '')];
}

function itemsOf(content: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(content);
    return (Array.isArray(value) ? value : [value]).filter(
      (item) => typeof item === 'object' && item !== null,
    );
  } catch {
    return [];
  }
}

const fieldsOf = (content: string): Record<string, unknown> => ({ title: 'new', ...itemsOf(content)[0] });

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
