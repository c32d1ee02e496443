import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { libraryDocument } from './server-document.ts';

/** Possible bugs of the library server. */
export type Bug =
  | 'breaks down at odd characters'
  | 'answers another status'
  | 'answers a field more'
  | 'answers a field less'
  | 'answers a field of another type'
  | 'loses what was made'
  | 'skips the third of a list'
  | 'repeats one where a part of a list ends'
  | 'leads around in circles'
  | 'keeps what was deleted'
  | 'breaks down at a second deletion'
  | 'refuses a second deletion'
  | 'resets a field at a patch'
  | 'drops what was patched'
  | 'drops what was put'
  | 'keeps another text than was sent'
  | 'lets everybody read'
  | 'takes tokens of nobody'
  | 'shows what is of others'
  | 'lists what is of others'
  | 'lists what lies elsewhere'
  | 'deletes what is of others'
  | 'takes a title that is too long'
  | 'refuses the longest title'
  | 'does not say what is allowed'
  | 'takes any method'
  | 'takes any media type'
  | 'answers as text'
  | 'leaves a header out'
  | 'hangs up'
  | 'never answers'
  | 'breaks down at the third update';

type Row = { id: string; owner: string; [field: string]: unknown };

/** A server of shelves and books on loopback, in memory, with the requested bugs. */
export interface Library extends AsyncDisposable {
  url: URL;
  /** Method and path of every request that changed something, with its status. */
  changes: { method: string; path: string; status: number }[];
  /** Ids of the existing entities. */
  ids(): string[];
  /** Adds a shelf that no run has created. */
  shelve(owner: string): string;
}

/** Tokens of the two callers. */
export const libraryTokens = { own: 'token-of-the-first-one', second: 'token-of-the-second-one' };

/** An error response. */
class Refusal extends Error {
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
  const buggy = new Set<Bug>(bugs);
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
      const type = buggy.has('answers as text') && status === 200 ? 'text/plain' : 'application/json';
      response.writeHead(status, { ...headers, ...(value !== undefined && { 'content-type': type }) });
      response.end(value === undefined ? undefined : JSON.stringify(value));
    };
    try {
      await serve(request, response, send);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500);
      send(refusal.status, { error: refusal.message }, refusal.headers);
    }
  });

  type Say = (status: number, value?: unknown, headers?: Record<string, string>) => void;
  async function serve(request: IncomingMessage, response: ServerResponse, send: Say): Promise<void> {
    const address = new URL(request.url ?? '/', 'http://server/');
    const method = request.method ?? 'GET';
    const parts = address.pathname.split('/').slice(1).map(decoded);
    const key = templateOf(parts);
    const allowed = key === undefined ? undefined : METHODS[key];
    if (key === undefined || !allowed) {
      throw new Refusal(404);
    }
    const content = await bodyOf(request);
    if (!allowed.includes(method)) {
      if (buggy.has('takes any method')) {
        return send(200, { up: true });
      }
      throw new Refusal(405, buggy.has('does not say what is allowed') ? {} : { allow: allowed.join(', ') });
    }
    if (key === 'status') {
      return send(200, { up: true });
    }
    const owner = callerOf(request, key, method);
    if (buggy.has('hangs up') && method === 'PUT') {
      return void response.destroy();
    }
    if (buggy.has('never answers') && method === 'PUT') {
      return;
    }
    const [, id = '', within] = parts;
    if (!within && id !== '' && !isValid('Id', id)) {
      throw new Refusal(400);
    }
    if (key === 'shelves') {
      return method === 'GET'
        ? list(shelves, address, owner, send)
        : makeShelf(owner, read('ShelfWrite'), send);
    }
    if (key === 'books') {
      const shelf = find(shelves, id, owner, method);
      const showsOthers = buggy.has('lists what lies elsewhere') && method === 'GET';
      const own = books.filter(({ shelfId }) => shelfId === shelf.id || showsOthers);
      return method === 'GET' ? list(own, address, owner, send) : makeBook(shelf, read('BookWrite'), send);
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
      if ((!plain && !buggy.has('takes any media type')) || request.headers['content-encoding']) {
        throw new Refusal(415);
      }
      const value = parsed(content);
      if (!isValid(schema, value) && !isTolerated(value)) {
        throw new Refusal(400);
      }
      const fields = value as Record<string, unknown>;
      const title = String(fields.title ?? '');
      if (buggy.has('breaks down at odd characters') && /[^\0-\uffff]/u.test(title)) {
        throw new Error('odd');
      }
      if (buggy.has('refuses the longest title') && [...title].length === 20) {
        throw new Refusal(400);
      }
      return fields;
    }
  }

  function isTolerated(value: unknown): boolean {
    if (!buggy.has('takes a title that is too long') || typeof value !== 'object' || value === null) {
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
    if (buggy.has('lets everybody read') && key === 'book' && method === 'GET') {
      return libraryTokens.own;
    }
    if (buggy.has('takes tokens of nobody') && token.length > 8 && key === 'shelf') {
      return libraryTokens.own;
    }
    throw new Refusal(401);
  }

  function find(rows: Row[], id: string, owner: string, method: string): Row {
    const row = rows.find((item) => item.id === id);
    const others =
      (buggy.has('shows what is of others') && method === 'GET') ||
      (buggy.has('deletes what is of others') && method === 'DELETE');
    if (!row || (row.owner !== owner && !others)) {
      throw new Refusal(404);
    }
    if (buggy.has('loses what was made') && method === 'GET' && rows === shelves) {
      throw new Refusal(404);
    }
    return row;
  }

  function makeShelf(owner: string, fields: Record<string, unknown>, send: Say): void {
    const row = {
      id: newId('shelf'),
      owner,
      title: '',
      tags: [],
      ...fields,
      createdAt: new Date().toISOString(),
    };
    shelves.push(row);
    const location = buggy.has('leaves a header out') ? {} : { location: `/shelves/${row.id}` };
    send(buggy.has('answers another status') ? 200 : 201, shown(row), location);
  }

  function makeBook(shelf: Row, fields: Record<string, unknown>, send: Say): void {
    const row = { id: newId('book'), owner: shelf.owner, shelfId: shelf.id, ...fields };
    books.push(row);
    const text = buggy.has('keeps another text than was sent')
      ? { name: `${String(fields.name).slice(0, 19)}!` }
      : {};
    send(201, shown(Object.assign(row, text)), { location: `/books/${row.id}` });
  }

  function show(row: Row, send: Say): void {
    const value: Record<string, unknown> = shown(row);
    if (buggy.has('answers a field more')) {
      value.secret = 1;
    }
    if (buggy.has('answers a field less')) {
      delete value[row.id.startsWith('book') ? 'pages' : 'tags'];
    }
    if (buggy.has('answers a field of another type') && 'pages' in value) {
      value.pages = String(value.pages);
    }
    send(200, value);
  }

  function patch(row: Row, fields: Record<string, unknown>, send: Say): void {
    updates += 1;
    if (buggy.has('breaks down at the third update') && updates % 3 === 0) {
      throw new Error('third');
    }
    const before = { ...row };
    if (buggy.has('resets a field at a patch') && !('tags' in fields)) {
      row.tags = [];
    }
    Object.assign(row, fields);
    if (buggy.has('drops what was patched')) {
      row.title = before.title;
    }
    send(200, shown(row));
  }

  function replace(row: Row, fields: Record<string, unknown>, send: Say): void {
    const response = shown({ ...row, ...fields });
    if (!buggy.has('drops what was put')) {
      Object.assign(row, fields);
    }
    send(200, response);
  }

  function remove(rows: Row[], id: string, owner: string, send: Say): void {
    if (deleted.has(id) && buggy.has('breaks down at a second deletion')) {
      throw new Error('again');
    }
    if (deleted.has(id) && buggy.has('refuses a second deletion')) {
      throw new Refusal(400);
    }
    const row = find(rows, id, owner, 'DELETE');
    deleted.add(id);
    if (!buggy.has('keeps what was deleted')) {
      rows.splice(rows.indexOf(row), 1);
    }
    send(204);
  }

  function list(rows: Row[], address: URL, owner: string, send: Say): void {
    const limits = address.searchParams.getAll('limit');
    const cursors = address.searchParams.getAll('cursor');
    const [limit = '20'] = limits;
    const number = /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
    const bug: Bug = rows === shelves ? 'lists what is of others' : 'lists what lies elsewhere';
    const all = rows.filter((row) => row.owner === owner || buggy.has(bug));
    const from = cursors.length === 0 ? 0 : Number(/^after-(\d+)$/.exec(cursors[0] ?? '')?.[1] ?? Number.NaN);
    if (number < 1 || number > 100 || limits.length > 1 || cursors.length > 1 || Number.isNaN(from)) {
      throw new Refusal(400);
    }
    const start = from > 0 && buggy.has('repeats one where a part of a list ends') ? from - 1 : from;
    const items = all
      .slice(start, from + number)
      .filter((_, at) => start + at !== 2 || !buggy.has('skips the third of a list'));
    const end = from + number;
    const circles = buggy.has('leads around in circles') && from > 0;
    send(200, {
      items: items.map(shown),
      ...(end < all.length && { next: `after-${circles ? from : end}` }),
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a listening TCP server is never a string or null.
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    changes,
    ids: () => [...shelves, ...books].map(({ id }) => id),
    shelve(owner) {
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
    throw new Refusal(400);
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
    throw new Refusal(400);
  }
}
