import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { libraryDocument } from './server-document.ts';

/** Possible bugs of the library server. */
export type Bug =
  | 'fails for unusual characters'
  | 'returns an undeclared status'
  | 'returns an additional field'
  | 'omits a required field'
  | 'returns a field of the wrong type'
  | 'loses created resources'
  | 'omits the third item of a list'
  | 'repeats the last item of a page'
  | 'returns the same cursor again'
  | 'keeps deleted resources'
  | 'fails for a second deletion'
  | 'rejects a second deletion'
  | 'resets an omitted field in a patch'
  | 'ignores patches'
  | 'ignores replacements'
  | 'stores a different text'
  | 'allows anonymous reads'
  | 'accepts unknown tokens'
  | 'returns resources of other users'
  | 'lists resources of other users'
  | 'lists resources of other parents'
  | 'deletes resources of other users'
  | 'accepts a title that is too long'
  | 'rejects the longest title'
  | 'omits the Allow header'
  | 'accepts any method'
  | 'accepts any media type'
  | 'returns JSON as text'
  | 'omits a required header'
  | 'closes connections'
  | 'sends no response'
  | 'fails for the third update';

type Row = { id: string; owner: string; [field: string]: unknown };

/** A server of shelves and books on loopback, in memory, with the requested bugs. */
export interface Library extends AsyncDisposable {
  url: URL;
  /** Method and path of every request that changed something, with its status. */
  changes: { method: string; path: string; status: number }[];
  /** Ids of the existing entities. */
  ids(): string[];
  /** Adds a shelf that was not created by a run. */
  addShelf(owner: string): string;
}

/** Tokens of the two callers. */
export const libraryTokens = { own: 'token-of-the-first-user', second: 'token-of-the-second-user' };

/** An error response. */
class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, headers: Record<string, string> = {}) {
    super(`status ${status}`);
    this.status = status;
    this.headers = headers;
  }
}

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ ...libraryDocument, $id: 'library' });
const isValid = (name: string, value: unknown) => ajv.validate(`library#/components/schemas/${name}`, value);

/** Starts the server. */
export async function startLibrary(...bugs: Bug[]): Promise<Library> {
  const enabled = new Set<Bug>(bugs);
  const shelves: Row[] = [];
  const books: Row[] = [];
  const deleted = new Set<string>();
  const changes: Library['changes'] = [];
  let nextId = 0;
  let updates = 0;
  const newId = (kind: string) => {
    nextId += 1;
    return `${kind}-${nextId}`;
  };

  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const send = (status: number, value?: unknown, headers: Record<string, string> = {}) => {
      if (request.method !== 'GET') {
        changes.push({ method: request.method ?? '', path, status });
      }
      const type = enabled.has('returns JSON as text') && status === 200 ? 'text/plain' : 'application/json';
      response.writeHead(status, { ...headers, ...(value !== undefined && { 'content-type': type }) });
      response.end(value === undefined ? undefined : JSON.stringify(value));
    };
    try {
      await serve(request, response, send);
    } catch (error) {
      const httpError = error instanceof HttpError ? error : new HttpError(500);
      send(httpError.status, { error: httpError.message }, httpError.headers);
    }
  });

  type Send = (status: number, value?: unknown, headers?: Record<string, string>) => void;
  async function serve(request: IncomingMessage, response: ServerResponse, send: Send): Promise<void> {
    const address = new URL(request.url ?? '/', 'http://server/');
    const method = request.method ?? 'GET';
    const parts = address.pathname.split('/').slice(1).map(decoded);
    const key = templateOf(parts);
    const allowed = key === undefined ? undefined : METHODS[key];
    if (key === undefined || !allowed) {
      throw new HttpError(404);
    }
    const content = await bodyOf(request);
    if (!allowed.includes(method)) {
      if (enabled.has('accepts any method')) {
        return send(200, { up: true });
      }
      throw new HttpError(405, enabled.has('omits the Allow header') ? {} : { allow: allowed.join(', ') });
    }
    if (key === 'status') {
      return send(200, { up: true });
    }
    const owner = callerOf(request, key, method);
    if (enabled.has('closes connections') && method === 'PUT') {
      return void response.destroy();
    }
    if (enabled.has('sends no response') && method === 'PUT') {
      return;
    }
    const [, id = '', within] = parts;
    if (!within && id !== '' && !isValid('Id', id)) {
      throw new HttpError(400);
    }
    if (key === 'shelves') {
      return method === 'GET'
        ? list(shelves, address, owner, send)
        : createShelf(owner, read('ShelfWrite'), send);
    }
    if (key === 'books') {
      const shelf = find(shelves, id, owner, method);
      const listsOthers = enabled.has('lists resources of other parents') && method === 'GET';
      const own = books.filter(({ shelfId }) => shelfId === shelf.id || listsOthers);
      return method === 'GET' ? list(own, address, owner, send) : createBook(shelf, read('BookWrite'), send);
    }
    const rows = key === 'shelf' ? shelves : books;
    if (method === 'DELETE') {
      return remove(rows, id, owner, send);
    }
    const row = find(rows, id, owner, method);
    if (method === 'GET') {
      return show(row, send);
    }
    return key === 'shelf' ? patch(row, read('ShelfPatch'), send) : replace(row, read('BookWrite'), send);

    function read(schema: string): Record<string, unknown> {
      const type = request.headers['content-type'] ?? '';
      const plain = /^application\/json(; charset=utf-8)?$/i.test(type);
      if ((!plain && !enabled.has('accepts any media type')) || request.headers['content-encoding']) {
        throw new HttpError(415);
      }
      const value = parsed(content);
      if (!isValid(schema, value) && !isAccepted(value)) {
        throw new HttpError(400);
      }
      const fields = value as Record<string, unknown>;
      const title = String(fields.title ?? '');
      if (enabled.has('fails for unusual characters') && /[^\0-\uffff]/u.test(title)) {
        throw new Error('unusual character');
      }
      if (enabled.has('rejects the longest title') && [...title].length === 20) {
        throw new HttpError(400);
      }
      return fields;
    }
  }

  function isAccepted(value: unknown): boolean {
    if (!enabled.has('accepts a title that is too long') || typeof value !== 'object' || value === null) {
      return false;
    }
    const { title, ...rest } = value as Record<string, unknown>;
    return (
      typeof title === 'string' && [...title].length === 21 && isValid('ShelfWrite', { ...rest, title: 'x' })
    );
  }

  function callerOf({ headers }: IncomingMessage, key: string, method: string): string {
    const token = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const isAuthenticated = Object.values(libraryTokens).includes(token);
    if (isAuthenticated) {
      return token;
    }
    if (enabled.has('allows anonymous reads') && key === 'book' && method === 'GET') {
      return libraryTokens.own;
    }
    if (enabled.has('accepts unknown tokens') && token.length > 8 && key === 'shelf') {
      return libraryTokens.own;
    }
    throw new HttpError(401);
  }

  function find(rows: Row[], id: string, owner: string, method: string): Row {
    const row = rows.find((item) => item.id === id);
    const allowsOthers =
      (enabled.has('returns resources of other users') && method === 'GET') ||
      (enabled.has('deletes resources of other users') && method === 'DELETE');
    if (!row || (row.owner !== owner && !allowsOthers)) {
      throw new HttpError(404);
    }
    if (enabled.has('loses created resources') && method === 'GET' && rows === shelves) {
      throw new HttpError(404);
    }
    return row;
  }

  function createShelf(owner: string, fields: Record<string, unknown>, send: Send): void {
    const row = {
      id: newId('shelf'),
      owner,
      title: '',
      tags: [],
      ...fields,
      createdAt: new Date().toISOString(),
    };
    shelves.push(row);
    const location = enabled.has('omits a required header') ? {} : { location: `/shelves/${row.id}` };
    send(enabled.has('returns an undeclared status') ? 200 : 201, shown(row), location);
  }

  function createBook(shelf: Row, fields: Record<string, unknown>, send: Send): void {
    const row = { id: newId('book'), owner: shelf.owner, shelfId: shelf.id, ...fields };
    books.push(row);
    const changedText = enabled.has('stores a different text')
      ? { name: `${String(fields.name).slice(0, 19)}!` }
      : {};
    send(201, shown(Object.assign(row, changedText)), { location: `/books/${row.id}` });
  }

  function show(row: Row, send: Send): void {
    const value: Record<string, unknown> = shown(row);
    if (enabled.has('returns an additional field')) {
      value.secret = 1;
    }
    if (enabled.has('omits a required field')) {
      delete value[row.id.startsWith('book') ? 'pages' : 'tags'];
    }
    if (enabled.has('returns a field of the wrong type') && 'pages' in value) {
      value.pages = String(value.pages);
    }
    send(200, value);
  }

  function patch(row: Row, fields: Record<string, unknown>, send: Send): void {
    updates += 1;
    if (enabled.has('fails for the third update') && updates % 3 === 0) {
      throw new Error('third');
    }
    const before = { ...row };
    if (enabled.has('resets an omitted field in a patch') && !('tags' in fields)) {
      row.tags = [];
    }
    Object.assign(row, fields);
    if (enabled.has('ignores patches')) {
      row.title = before.title;
    }
    send(200, shown(row));
  }

  function replace(row: Row, fields: Record<string, unknown>, send: Send): void {
    const response = shown({ ...row, ...fields });
    if (!enabled.has('ignores replacements')) {
      Object.assign(row, fields);
    }
    send(200, response);
  }

  function remove(rows: Row[], id: string, owner: string, send: Send): void {
    if (deleted.has(id) && enabled.has('fails for a second deletion')) {
      throw new Error('second deletion');
    }
    if (deleted.has(id) && enabled.has('rejects a second deletion')) {
      throw new HttpError(400);
    }
    const row = find(rows, id, owner, 'DELETE');
    deleted.add(id);
    if (!enabled.has('keeps deleted resources')) {
      rows.splice(rows.indexOf(row), 1);
    }
    send(204);
  }

  function list(rows: Row[], address: URL, owner: string, send: Send): void {
    const limits = address.searchParams.getAll('limit');
    const cursors = address.searchParams.getAll('cursor');
    const [limit = '20'] = limits;
    const number = /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
    const bug: Bug = rows === shelves ? 'lists resources of other users' : 'lists resources of other parents';
    const all = rows.filter((row) => row.owner === owner || enabled.has(bug));
    const from = cursors.length === 0 ? 0 : Number(/^after-(\d+)$/.exec(cursors[0] ?? '')?.[1] ?? Number.NaN);
    if (number < 1 || number > 100 || limits.length > 1 || cursors.length > 1 || Number.isNaN(from)) {
      throw new HttpError(400);
    }
    const start = from > 0 && enabled.has('repeats the last item of a page') ? from - 1 : from;
    const items = all
      .slice(start, from + number)
      .filter((_, at) => start + at !== 2 || !enabled.has('omits the third item of a list'));
    const end = from + number;
    const repeats = enabled.has('returns the same cursor again') && from > 0;
    send(200, {
      items: items.map(shown),
      ...(end < all.length && { next: `after-${repeats ? from : end}` }),
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a listening TCP server is never a string or null.
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    changes,
    ids: () => [...shelves, ...books].map(({ id }) => id),
    addShelf(owner) {
      const id = newId('shelf');
      shelves.push({ id, owner, title: 'Old', tags: [], createdAt: new Date().toISOString() });
      return id;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const METHODS: Record<string, string[]> = {
  status: ['GET'],
  shelves: ['GET', 'POST'],
  shelf: ['GET', 'PATCH', 'DELETE'],
  books: ['GET', 'POST'],
  book: ['GET', 'PUT', 'DELETE'],
};

function templateOf([first, id, within, ...more]: string[]): string | undefined {
  if (more.length > 0 || id === '') {
    return undefined;
  }
  if (first === 'status') {
    return id === undefined ? 'status' : undefined;
  }
  if (first === 'books') {
    return id !== undefined && within === undefined ? 'book' : undefined;
  }
  if (first !== 'shelves') {
    return undefined;
  }
  if (id === undefined) {
    return 'shelves';
  }
  if (within === undefined) {
    return 'shelf';
  }
  return within === 'books' ? 'books' : undefined;
}

const shown = ({ owner: _, ...row }: Row): Record<string, unknown> => row;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpError(400);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(content: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch {
    throw new HttpError(400);
  }
}
