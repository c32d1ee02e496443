import { connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createClient } from '../../../client/index.ts';
import type { ErrorBody, OpenApiDocument, RequestContext } from '../../../server/contract/index.ts';
import { serveRouter, tableOf } from '../serve.ts';
import { faultLocations, sendRaw } from '../small-server.ts';
import { IMPORT_LIMIT } from './media-contract.ts';
import { type MediaHandlers, serveMedia } from './media-server.ts';

const PNG = { type: 'image/png' };

function formOf(fields: [name: string, value: string | Blob, filename?: string][]): FormData {
  const form = new FormData();
  for (const [name, value, filename] of fields) {
    if (typeof value === 'string') {
      form.append(name, value);
    } else {
      form.append(name, value, filename);
    }
  }
  return form;
}

const PAGE = new Blob(['# One'], { type: 'text/markdown' });
const valid: [string, string | Blob, string?][] = [
  ['title', 'Guide'],
  ['pages', PAGE, 'one.md'],
];

/** Returns what a handler reads at once: the fields, and name, type and text of files. */
const readAll: MediaHandlers['createImport'] = async ({ body }) => {
  const { title, count, labels, options, cover, pages } = await body.read();
  const describe = async (file: File) => [file.name, file.type, await file.text()];
  return {
    ...{ title, count, labels, options },
    cover: cover && (await describe(cover)),
    pages: await Promise.all(pages.map(describe)),
  };
};

/** Returns what a handler reads part by part. */
const readParts: MediaHandlers['createImport'] = async ({ body }) => {
  const parts: unknown[] = [];
  for await (const part of body) {
    parts.push(
      'stream' in part
        ? [part.name, part.filename, part.contentType, await text(part.stream)]
        : [part.name, part.value],
    );
  }
  return parts;
};

async function send(form: FormData, createImport = readAll, limits = {}): Promise<Response> {
  const { url } = await serveMedia({ createImport }, { limits });
  return await fetch(`${url}/imports`, { method: 'POST', body: form });
}

async function errorOf(response: Response, status: number): Promise<ErrorBody['error']> {
  const body = await response.text();
  expect(response.status, body).toBe(status);
  return JSON.parse(body).error;
}

test('reads a form into an object of the declared types', async () => {
  const response = await send(
    formOf([
      ['count', '2'],
      ['labels', 'a'],
      ['labels', 'b'],
      ['options', '{"overwrite":true}'],
      ['cover', new Blob(['png'], PNG), 'größe.png'],
      ...valid,
      ['pages', new Blob(['# Two']), 'two.md'],
    ]),
  );
  expect(await response.json()).toEqual({
    title: 'Guide',
    count: 2,
    labels: ['a', 'b'],
    options: { overwrite: true },
    cover: ['größe.png', 'image/png', 'png'],
    pages: [
      ['one.md', 'text/markdown', '# One'],
      ['two.md', 'application/octet-stream', '# Two'],
    ],
  });
});

test('yields the parts in their order, without waiting for the rest', async () => {
  const response = await send(formOf([...valid, ['labels', 'a'], ['count', '3']]), readParts);
  expect(await response.json()).toEqual([
    ['title', 'Guide'],
    ['pages', 'one.md', 'text/markdown', '# One'],
    ['labels', 'a'],
    ['count', 3],
  ]);
});

test('skips files that the handler does not read', async () => {
  const large = new Blob(['x'.repeat(2_000_000)]);
  const response = await send(
    formOf([['pages', large, 'a'], ['pages', large, 'b'], ...valid]),
    async ({ body }) => {
      const names: string[] = [];
      for await (const { name } of body) {
        names.push(name);
      }
      return names;
    },
  );
  expect(await response.json()).toEqual(['pages', 'pages', 'title', 'pages']);
});

test('continues with the next part after the handler stopped reading a file', async () => {
  const large = new Blob(['x'.repeat(2_000_000)]);
  const response = await send(formOf([['pages', large, 'a'], ...valid]), async ({ body }) => {
    const parts: unknown[] = [];
    for await (const part of body) {
      if ('stream' in part) {
        for await (const chunk of part.stream) {
          parts.push([part.name, chunk.length > 0]);
          break;
        }
      } else {
        parts.push(part.value);
      }
    }
    return parts;
  });
  expect(await response.json()).toEqual([['pages', true], 'Guide', ['pages', true]]);
});

test('streams a file of any size within the limit of the body', async () => {
  const large = new Blob(['x'.repeat(IMPORT_LIMIT - 10_000)]);
  const response = await send(
    formOf([
      ['title', 'a'],
      ['pages', large, 'a'],
    ]),
    async ({ body }) => {
      let bytes = 0;
      for await (const part of body) {
        bytes += 'stream' in part ? (await buffer(part.stream)).length : 0;
      }
      return bytes;
    },
  );
  expect(await response.json()).toBe(IMPORT_LIMIT - 10_000);
});

const with_ = (...more: [string, string | Blob, string?][]) => formOf([...valid, ...more]);

test.each<[string, FormData, string[]]>([
  ['an unknown part', with_(['other', 'x']), ['body other']],
  ['an unknown file', with_(['other', PAGE, 'a']), ['body other']],
  ['a missing field', formOf([['pages', PAGE, 'a']]), ['body title']],
  ['a missing file', formOf([['title', 'a']]), ['body pages']],
  [
    'a field that is too long',
    formOf([
      ['title', 'x'.repeat(21)],
      ['pages', PAGE, 'a'],
    ]),
    ['body title'],
  ],
  ['a field of another type', with_(['count', 'many']), ['body count']],
  ['a number out of range', with_(['count', '0']), ['body count']],
  ['invalid JSON', with_(['options', '{']), ['body options']],
  ['JSON that violates the schema', with_(['options', '{"overwrite":1}']), ['body options.overwrite']],
  ['JSON that is nested too deeply', with_(['options', '['.repeat(300)]), ['body']],
  ['unsafe JSON', with_(['options', '{"__proto__":1}']), ['body options.__proto__']],
  ['a repeated field', with_(['title', 'b']), ['body title']],
  [
    'a file of another media type',
    with_(['cover', new Blob(['a'], { type: 'image/gif' }), 'a']),
    ['body cover'],
  ],
  ['a name of the prototype', with_(['__proto__', 'a']), ['body __proto__']],
  ['a long name', with_(['x'.repeat(300), 'a']), [`body ${'x'.repeat(200)}`]],
  ['a long file name', with_(['pages', PAGE, 'x'.repeat(300)]), ['body pages']],
  ['U+0000', with_(['labels', 'a\0']), ['body labels']],
])('rejects a form with %s, and names the field', async (_name, form, locations) => {
  for (const handler of [readAll, readParts]) {
    expect(faultLocations(await errorOf(await send(form, handler), 400))).toEqual(locations);
  }
});

test('limits the number of parts, the size of fields and the size of the body', async () => {
  const parts = await send(with_(['labels', 'a'], ['labels', 'b']), readParts, { formParts: 3 });
  expect((await errorOf(parts, 413)).message).toContain('more than 3 parts');
  const field = await send(with_(['labels', 'x'.repeat(101)]), readParts, { fieldBytes: 100 });
  expect(faultLocations(await errorOf(field, 413))).toEqual(['body labels']);
  const large = with_(['pages', new Blob(['x'.repeat(IMPORT_LIMIT)]), 'a']);
  await errorOf(await send(large, readParts), 413);
  const names = await send(with_(['labels', 'a']), readParts, { partNameCharacters: 5 });
  expect(faultLocations(await errorOf(names, 400))).toEqual(['body pages']);
});

const raw = (type: string, body: string) =>
  `POST /imports HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

test.each([
  ['without a boundary', 'multipart/form-data', 'x'],
  [
    'without its end',
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\na',
  ],
  ['without any part', 'multipart/form-data; boundary=b', 'nothing'],
  ['of no bytes', 'multipart/form-data; boundary=b', ''],
  [
    'with a part without a name',
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; filename="a"\r\n\r\na\r\n--b--\r\n',
  ],
])('rejects a body %s with 400', async (_name, type, body) => {
  for (const handler of [readAll, readParts]) {
    const { port, errors } = await serveMedia({ createImport: handler });
    const { status } = await sendRaw(port, raw(type, body));
    expect([status, errors()]).toEqual([400, []]);
  }
});

test('reports to the handler that the caller disconnected', async () => {
  let failed: unknown;
  const { port } = await serveMedia({
    createImport: async (request, context) => {
      try {
        return await readParts(request, context);
      } catch (error) {
        failed = error;
        throw error;
      }
    },
  });
  const start = '--b\r\nContent-Disposition: form-data; name="pages"; filename="a"\r\n\r\nabc';
  const socket = connect(port, '127.0.0.1');
  socket.write(raw('multipart/form-data; boundary=b', `${start}${' '.repeat(100)}`).slice(0, -50), () =>
    socket.destroy(),
  );
  await expect.poll(() => String(failed)).toContain('closed the connection');
});

test('reads the files of a form that is composed of others, and rejects repeated undeclared parts', async () => {
  const file = { type: 'string', format: 'binary' };
  const schema = {
    allOf: [{ type: 'object', properties: { file, files: { type: 'array', items: file } } }],
    properties: { title: { type: 'string' } },
    required: ['file', 'title'],
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Composed', version: '1' },
    paths: {
      '/uploads': {
        post: {
          operationId: 'upload',
          requestBody: { required: true, content: { 'multipart/form-data': { schema } } },
          responses: { 200: { description: 'OK.', content: { 'application/json': { schema: {} } } } },
        },
      },
    },
  } satisfies OpenApiDocument;
  type Form = { file: Blob; files?: Blob[]; title: string };
  interface Composed {
    upload: {
      requestBody: { content: { 'multipart/form-data': Form } };
      responses: { 200: { content: { 'application/json': unknown } } };
    };
  }
  const { url } = await serveRouter<Composed, Record<never, never>, RequestContext>({
    document,
    operations: tableOf(document),
    handlers: {
      upload: async ({ body }) => {
        const { file: sent, files = [], title } = await body.read();
        return [await sent.text(), files.length, title];
      },
    },
    security: {},
    validateResponses: true,
  });
  const upload = (...undeclared: [string, string][]) =>
    fetch(`${url}/uploads`, {
      method: 'POST',
      body: formOf([['file', PAGE, 'a'], ['files', PAGE, 'b'], ['title', 'T'], ...undeclared]),
    });
  expect(await (await upload()).json()).toEqual(['# One', 1, 'T']);
  // The form is open; an undeclared name is not a list.
  expect(await (await upload(['note', '1'])).json()).toEqual(['# One', 1, 'T']);
  expect(await errorOf(await upload(['note', '1'], ['note', '2']), 400)).toMatchObject({
    details: [{ path: 'note', message: 'must not be repeated' }],
  });
});

test('does not read a body twice', async () => {
  const { url, errors } = await serveMedia({
    createImport: async ({ body }) => {
      await body.read();
      return await body.read();
    },
  });
  const response = await fetch(`${url}/imports`, { method: 'POST', body: formOf(valid) });
  await errorOf(response, 500);
  expect(errors()).toEqual(['A multipart body can be read only once.']);
});

test('reads the form that the client sends, with null and objects of the media type of JSON', async () => {
  const options = { type: 'object', properties: { overwrite: { type: 'boolean' } } };
  const nullable = { type: ['object', 'null'], properties: {} };
  const either = { anyOf: [{ type: 'integer' }, { type: 'null' }] };
  const schema = {
    type: 'object',
    properties: {
      options,
      steps: { type: 'array', items: options },
      count: { type: ['integer', 'null'] },
      either,
      flag: { type: ['boolean', 'null'] },
      place: nullable,
      typedPlace: nullable,
      note: { type: 'string' },
    },
  };
  const json = { contentType: 'application/json' };
  const encoding = { options: json, steps: json, typedPlace: json };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Forms', version: '1' },
    paths: {
      '/forms': {
        post: {
          operationId: 'sendForm',
          requestBody: { required: true, content: { 'multipart/form-data': { schema, encoding } } },
          responses: { 200: { description: 'OK.', content: { 'application/json': { schema: {} } } } },
        },
      },
    },
  } satisfies OpenApiDocument;
  interface Forms {
    sendForm: {
      requestBody: { content: { 'multipart/form-data': Record<string, unknown> } };
      responses: { 200: { content: { 'application/json': unknown } } };
    };
  }
  const { url } = await serveRouter<Forms, Record<never, never>, RequestContext>({
    document,
    operations: tableOf(document),
    handlers: { sendForm: async ({ body }) => await body.read() },
    security: {},
    validateResponses: true,
  });
  const client = createClient({ baseUrl: url });
  const send = (body: object) =>
    client.call('POST', '/forms', { body }, {}, { contentType: 'multipart/form-data' });
  const empty = { count: null, either: null, flag: null, place: null, typedPlace: null };
  const full = { count: 1, either: 2, flag: true, place: { a: 1 }, typedPlace: { b: 2 } };
  const steps = [{ overwrite: true }, {}];
  const mixed = { options: { overwrite: true }, steps, ...empty, note: '' };
  expect(await send(mixed)).toEqual(mixed);
  expect(await send(full)).toEqual(full);
  await expect(send({ options: 'text' })).rejects.toMatchObject({
    status: 400,
    details: [{ path: 'options', message: expect.stringContaining('JSON') }],
  });
  // Clients without a way to set the media type of a field send JSON as a text.
  const plain = formOf([
    ['options', '{"overwrite":true}'],
    ['steps', '[{}]'],
    ['typedPlace', '{"b":2}'],
  ]);
  const response = await fetch(`${url}/forms`, { method: 'POST', body: plain });
  expect(await response.json()).toEqual({
    options: { overwrite: true },
    steps: [{}],
    typedPlace: { b: 2 },
  });
  const file = formOf([['options', new Blob(['{}'], { type: 'text/plain' }), 'a.txt']]);
  const refused = await fetch(`${url}/forms`, { method: 'POST', body: file });
  expect((await errorOf(refused, 400)).details).toEqual([
    { in: 'body', path: 'options', message: 'must be of type application/json' },
  ]);
  await expect(send({ typedPlace: 'text' })).rejects.toMatchObject({ status: 400 });
});
