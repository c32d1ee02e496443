import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  ApiError,
  type DownloadProgress,
  download,
  inlineFile,
  type Schemas,
  walkPages,
} from '../../client/platform/index.ts';
import { failureOf, fakeRuntime, type Step, startScriptedServer } from './scripted-server.ts';

const textOf = (stream: ReadableStream) => new Response(stream).text();

test('a tree is walked in order, each page before its subpages', () => {
  // The walk depends only on titles and subpages.
  const page = (title: string, pages?: object[]) =>
    ({ type: pages ? 'document' : 'link', title, ...(pages && { pages }) }) as unknown as Schemas['Page'];
  const tree = {
    pages: [page('Guide', [page('Start', [page('Install', [])]), page('Site')]), page('Reference', [])],
  };
  const walked = [...walkPages(tree)].map(({ page: { title }, parents }) => [
    title,
    ...parents.map((parent) => parent.title),
  ]);
  expect(walked).toEqual([
    ['Guide'],
    ['Start', 'Guide'],
    ['Install', 'Guide', 'Start'],
    ['Site', 'Guide'],
    ['Reference'],
  ]);
});

test('a file is inlined with its name, type and bytes', async () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
  const photo = await inlineFile(new File([bytes], 'tree.png', { type: 'image/png' }));
  expect(photo).toMatchObject({ name: 'tree.png', contentType: 'image/png' });
  expect(Buffer.from(photo.base64, 'base64').equals(bytes)).toBe(true);
  const untyped = await inlineFile(new File(['x'], 'notes'));
  expect(untyped).toEqual({ name: 'notes', base64: 'eA==' });
  const text = await inlineFile(new File(['x'], 'a.txt', { type: 'text/plain;charset=utf-8' }));
  expect(text.contentType).toBe('text/plain');
});

test('files and PDFs are downloaded as streams without a token, with retries', async () => {
  await using server = await startScriptedServer({ status: 503 }, { status: 200, body: 'pixels' });
  const runtime = fakeRuntime();
  const downloadURL = `${server.url}/files/tree.png?signature=hidden`;
  expect(await textOf(await download({ downloadURL }, { runtime }))).toBe('pixels');
  expect(await textOf(await download({ url: `${server.url}/pdf?signature=hidden` }))).toBe('pixels');
  expect(server.received.map(({ url, headers }) => [url, headers.authorization])).toEqual([
    ['/files/tree.png?signature=hidden', undefined],
    ['/files/tree.png?signature=hidden', undefined],
    ['/pdf?signature=hidden', undefined],
  ]);
});

test('a download reports its progress, with the size if it is known', async () => {
  const chunked: Step = (response) => {
    response.writeHead(200).write('pix', () => setImmediate(() => response.end('els')));
  };
  await using server = await startScriptedServer(
    (response) => response.writeHead(200, { 'content-length': '6' }).end('pixels'),
    chunked,
    (response) =>
      response.writeHead(200, { 'content-length': '26', 'content-encoding': 'gzip' }).end(gzipSync('pixels')),
  );
  const seen: DownloadProgress[] = [];
  const options = { onProgress: (progress: DownloadProgress) => seen.push(progress) };
  const source = { url: `${server.url}/pdf` };
  for (const total of [6, undefined, undefined]) {
    seen.length = 0;
    expect(await textOf(await download(source, options))).toBe('pixels');
    expect(seen.at(-1)).toEqual({ received: 6, total });
  }
});

test('a failed download is an ApiError without the permission of its URL', async () => {
  await using server = await startScriptedServer(
    { status: 404, body: { error: { message: 'The URL has expired.', reason: 'not_found' } } },
    (response) => response.writeHead(200).write('pix', () => response.destroy()),
  );
  const source = { url: `${server.url}/pdf?signature=hidden` };
  const failure = await failureOf(download(source));
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ status: 404, message: 'The URL has expired.', url: `${server.url}/pdf` });
  expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('hidden');
  expect(await failureOf(textOf(await download(source)))).toMatchObject({ kind: 'network' });
  const signal = AbortSignal.abort();
  expect(await failureOf(download(source, { signal }))).toMatchObject({ kind: 'aborted' });
});
