import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { redirect, useClones } from './clones.ts';

const secret = 's3cret-p@ssword';
const credentials = { username: 'ada', password: secret };

const clones = useClones();
const { clone, failure, serve, serveHTTP } = clones;

function withCredentials(url: string, password = secret): string {
  return url.replace('//', `//ada:${encodeURIComponent(password)}@`);
}

/** Returns the command lines and environments of all processes of this machine. */
async function processTexts(file: 'cmdline' | 'environ'): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(ids.map((id) => readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '')));
}

describe('cloning', () => {
  test('fetches the commit, its tree and its contents, and leaves no files behind', async () => {
    const server = await serve();
    const { url } = await server.createRepository(
      {
        'README.md': '# Hello\n',
        'docs/Größe und Maß.md': 'ß',
        'docs/empty.md': '',
        'logo.bin': new Uint8Array([0, 10, 255]),
      },
      { message: 'Begin\n\nWith a body.' },
    );
    const repository = await clone(url);
    expect(repository.commit).toEqual({
      oid: expect.stringMatching(/^[0-9a-f]{40}$/),
      message: 'Begin\n\nWith a body.',
      committedAt: expect.any(Date),
      parents: [],
    });
    const { files, skipped } = await repository.readTree();
    expect(skipped).toEqual([]);
    expect(files.map(({ path, size, mode }) => [path, size, mode])).toEqual([
      ['README.md', 8, '100644'],
      ['docs/Größe und Maß.md', 2, '100644'],
      ['docs/empty.md', 0, '100644'],
      ['logo.bin', 3, '100644'],
    ]);
    const contents = [];
    for await (const { oid, content } of repository.readBlobs(files.map((file) => file.oid))) {
      contents.push([oid, content.toString('latin1')]);
    }
    expect(contents).toEqual(
      files.map((file, index) => [file.oid, ['# Hello\n', 'Ã\u009f', '', '\x00\nÿ'][index]]),
    );
    await repository.close();
    expect(await readdir(clones.folder)).toEqual([]);
  });

  test('fetches the requested branch or tag without history', async () => {
    const server = await serve();
    const repository = await server.createRepository({ 'a.md': 'one' });
    await repository.tag('v1');
    const second = await repository.update({ 'a.md': 'two', 'b.md': 'new' });
    const other = await repository.update({ 'a.md': null }, { branch: 'main' });
    const tip = await clone(repository.url);
    expect(tip.commit.oid).toBe(other);
    expect((await tip.readTree()).files.map((file) => file.path)).toEqual(['b.md']);
    const tagged = await clone(repository.url, { ref: 'refs/tags/v1' });
    expect(tagged.commit.message).toBe('Write the documentation');
    expect(tagged.commit.oid).not.toBe(second);
  });

  test('lists one directory with paths from the root, and reports a missing one', async () => {
    const server = await serve();
    const { url } = await server.createRepository({
      'README.md': 'x',
      'products/docs/a.md': 'a',
      'products/docs/sub/b.md': 'b',
    });
    const repository = await clone(url);
    const { files } = await repository.readTree('./products/docs/');
    expect(files.map((file) => file.path)).toEqual(['products/docs/a.md', 'products/docs/sub/b.md']);
    await expect(repository.readTree('products/missing')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('names links and submodules instead of following them', async () => {
    const server = await serve();
    const { url } = await server.createRepository({
      'README.md': 'x',
      'passwords.md': { symlink: '/etc/passwd' },
      vendor: { submodule: '1234567890123456789012345678901234567890' },
      '.gitmodules': '[submodule "vendor"]\n\tpath = vendor\n\turl = ext::sh -c touch% /tmp/x\n',
    });
    const { files, skipped } = await (await clone(url)).readTree();
    expect(files.map((file) => file.path)).toEqual(['.gitmodules', 'README.md']);
    expect(skipped).toEqual([
      { path: 'passwords.md', reason: 'symlink' },
      { path: 'vendor', reason: 'submodule' },
    ]);
  });

  test('streams files that exceed the buffer of a pipe, and can be stopped early', async () => {
    const server = await serve();
    const large = randomBytes(3_000_000);
    const { url } = await server.createRepository({ 'a.bin': large, 'b.bin': 'small', 'c.bin': large });
    const repository = await clone(url);
    const oids = (await repository.readTree()).files.map((file) => file.oid);
    const sizes = [];
    for await (const { content } of repository.readBlobs(oids)) {
      sizes.push(content.equals(large) ? 'large' : content.toString());
    }
    expect(sizes).toEqual(['large', 'small', 'large']);
    for await (const { content } of repository.readBlobs(oids)) {
      expect(content.equals(large)).toBe(true);
      break;
    }
  });
});

describe('credentials', () => {
  test('open a protected repository and appear in no command line', async () => {
    let seen: string[] = [];
    const server = await serve({
      credentials,
      before: async (request) => {
        if (request.method === 'POST') {
          seen = await processTexts('cmdline');
        }
      },
    });
    const { url } = await server.createRepository({ 'README.md': 'x' });
    await clone(withCredentials(url));
    expect(seen.some((line) => line.includes('git') && line.includes(url))).toBe(true);
    const all = seen.join('\n');
    for (const form of [
      secret,
      encodeURIComponent(secret),
      Buffer.from(`ada:${secret}`).toString('base64'),
    ]) {
      expect(all).not.toContain(form);
    }
  });

  test('are reported as wrong or missing, and appear in no error', async () => {
    const server = await serve({ credentials });
    const { url } = await server.createRepository({ 'README.md': 'x' });
    const wrong = await failure(withCredentials(url, 'wr0ng-p@ss'));
    expect(wrong.code).toBe('authentication');
    expect(`${wrong.stack} ${JSON.stringify(wrong)}`).not.toMatch(/wr0ng|ada/);
    expect(await failure(url)).toMatchObject({
      code: 'authentication',
      message: expect.stringContaining('https://user:token@host'),
    });
  });

  test('appear in no error when git itself is rejected later', async () => {
    let requests = 0;
    const url = await serveHTTP((_request, response) => {
      requests += 1;
      if (requests === 1) {
        response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' }).end();
      }
      // Git repeats a plain text response.
      else {
        response.writeHead(403, { 'Content-Type': 'text/plain' }).end(`you sent ${secret}`);
      }
    });
    const error = await failure(`${withCredentials(url)}/docs.git`);
    expect(error).toMatchObject({ code: 'authentication', message: expect.stringContaining('you sent ***') });
    expect(`${error.stack}`).not.toContain(secret);
    expect(`${error.stack}`).not.toContain(encodeURIComponent(secret));
  });

  test('do not follow a redirect to another host', async () => {
    const seen: (string | undefined)[] = [];
    const target = await serveHTTP((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    const url = await serveHTTP((_request, response) =>
      redirect(response, `${target}/docs.git/info/refs?service=git-upload-pack`),
    );
    await failure(`${withCredentials(url)}/docs.git`);
    expect(seen).toEqual([undefined]);
  });
});

describe('a failing clone', () => {
  test('reports a missing branch and a missing repository', async () => {
    const server = await serve();
    const { url } = await server.createRepository({ 'README.md': 'x' });
    expect(await failure(url, { ref: 'refs/heads/gone' })).toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('refs/heads/gone'),
    });
    expect(await failure(`${server.url}/gone.git`)).toMatchObject({ code: 'not-found' });
  });

  test('distinguishes a web page and a failing server from a repository', async () => {
    const page = await serveHTTP((_request, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>'),
    );
    expect(await failure(`${page}/docs`)).toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('not to a Git repository'),
    });
    const broken = await serveHTTP((_request, response) => response.writeHead(503).end());
    expect(await failure(`${broken}/docs`)).toMatchObject({ code: 'unreachable', transient: true });
    const lookup = async () => ['127.0.0.1'];
    const error = await failure('http://docs.example:1/docs', { lookup });
    expect(error.code).toBe('unreachable');
    expect(error.message).not.toMatch(/127\.0\.0\.1|ECONN/);
  });

  test('stops a huge repository as soon as it exceeds the limit', async () => {
    const server = await serve();
    const repository = await server.createRepository({ 'huge.bin': randomBytes(5_000_000) });
    // Sends 2 MB and then nothing: only a check during the transfer ends before the timeout.
    const url = await serveHTTP(async (request, response) => {
      const body = request.method === 'POST' ? await buffer(request) : null;
      const headers = ['content-type', 'git-protocol', 'content-encoding'].flatMap((name) => {
        const value = request.headers[name];
        return typeof value === 'string' ? [[name, value] as [string, string]] : [];
      });
      const reply = await fetch(`${server.url}${request.url}`, {
        method: request.method ?? 'GET',
        headers,
        body,
      });
      const content = Buffer.from(await reply.arrayBuffer());
      response.writeHead(reply.status, { 'Content-Type': reply.headers.get('content-type') ?? '' });
      if (content.length < 2_000_000) {
        response.end(content);
      } else {
        response.write(content.subarray(0, 2_000_000));
      }
    });
    const path = new URL(repository.url).pathname;
    expect(
      await failure(`${url}${path}`, { limits: { bytes: 1_000_000, milliseconds: 10_000 } }),
    ).toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('1 MiB'),
    });
  });

  test('rejects a repository that exceeds the limit at the very end', async () => {
    const server = await serve();
    const { url } = await server.createRepository({ 'large.bin': randomBytes(50_000) });
    expect(await failure(url, { limits: { bytes: 40_000 } })).toMatchObject({ code: 'too-large' });
  });

  test('stops a small pack that expands beyond the limit', async () => {
    const server = await serve();
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`zero-${index}`, Buffer.alloc(1_000_000)]),
    );
    const { url } = await server.createRepository(files);
    const repository = await clone(url, {
      limits: { bytes: 1_000_000, contentBytes: 10_000_000, fileBytes: 500_000 },
    });
    await expect(repository.readTree()).rejects.toMatchObject({ code: 'too-large' });
    const many = await clone(url, { limits: { files: 10 } });
    await expect(many.readTree()).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringContaining('10 files'),
    });
    const oid = (await (await clone(url)).readTree()).files[0]?.oid ?? '';
    await expect(repository.readBlobs([oid]).next()).rejects.toMatchObject({ code: 'too-large' });
    await expect(repository.readBlobs(['f'.repeat(40)]).next()).rejects.toMatchObject({ code: 'not-found' });
    expect(() => repository.readBlobs(['--help'])).toThrow(TypeError);
  });

  test('times out on a server that does not respond, before and during the transfer', async () => {
    const silent = await serveHTTP(() => {});
    expect(await failure(`${silent}/docs.git`, { limits: { milliseconds: 100 } })).toMatchObject({
      code: 'timeout',
    });
    const server = await serve({
      before: (request) => (request.method === 'POST' ? new Promise(() => {}) : undefined),
    });
    const { url } = await server.createRepository({ 'README.md': 'x' });
    expect(await failure(url, { limits: { milliseconds: 800 } })).toMatchObject({ code: 'timeout' });
    const left = (await processTexts('cmdline')).filter((line) => line.includes(url));
    expect(left).toEqual([]);
  });

  test('times out on redirects and lookups that take longer together', async () => {
    const slow = await serveHTTP((request, response) => {
      setTimeout(() => redirect(response, `/next${request.url}`), 100);
    });
    const limits = { milliseconds: 250 };
    expect(await failure(`${slow}/docs.git`, { limits })).toMatchObject({ code: 'timeout' });
    const lookup = () => new Promise<string[]>(() => {});
    for (const protocol of ['https', 'ssh']) {
      const url = `${protocol}://docs.example/docs.git`;
      expect(await failure(url, { limits: { milliseconds: 20 }, lookup })).toMatchObject({ code: 'timeout' });
    }
  });

  test('ends when its caller aborts', async () => {
    const controller = new AbortController();
    const server = await serve({
      before: (request) => {
        if (request.method !== 'POST') {
          return;
        }
        controller.abort();
        return new Promise(() => {});
      },
    });
    const { url } = await server.createRepository({ 'README.md': 'x' });
    expect(await failure(url, { signal: controller.signal })).toMatchObject({ code: 'aborted' });
    expect(await failure(url, { signal: controller.signal })).toMatchObject({ code: 'aborted' });
  });
});
