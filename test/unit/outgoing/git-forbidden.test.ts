import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ADVERTISEMENT, redirect, useClones } from './clones.ts';

const { clone, failure, serve, serveHTTP } = useClones();

describe('cloning a forbidden target', () => {
  test.each(['127.0.0.1', '[::1]', '169.254.169.254', '10.0.0.8', '[::ffff:127.0.0.1]', '2130706433'])(
    'rejects http://%s unless it is allowed',
    async (host) => {
      const error = await failure(`http://${host}/docs.git`, { allow: [] });
      expect(error.code).toBe('refused-address');
      expect(error.message).toContain('COLOPHON_OUTGOING_ALLOW');
    },
  );

  test('rejects ssh to a private address', async () => {
    expect(await failure('ssh://git@10.0.0.8/docs.git')).toMatchObject({ code: 'refused-address' });
  });

  test('binds git to the checked address of a name', async () => {
    const server = await serve();
    const { url } = await server.createRepository({ 'README.md': 'x' });
    const requested: string[] = [];
    const lookup = async (name: string) => {
      requested.push(name);
      return ['127.0.0.1'];
    };
    // No resolver knows this name: git can only reach it at the checked address.
    const repository = await clone(url.replace('127.0.0.1', 'docs.invalid'), { lookup });
    expect((await repository.readTree()).files).toHaveLength(1);
    expect(requested).toEqual(['docs.invalid']);
  });

  test('rejects a redirect to a private address', async () => {
    const url = await serveHTTP((_request, response) =>
      redirect(response, `http://169.254.169.254/latest${ADVERTISEMENT}`),
    );
    expect(await failure(`${url}/docs.git`)).toMatchObject({
      code: 'refused-address',
      message: expect.stringContaining('169.254.169.254'),
    });
  });

  test('rejects a redirect of a later request', async () => {
    let requested = 0;
    let reached = 0;
    const target = await serveHTTP((_request, response) => {
      reached += 1;
      response.end();
    });
    const url = await serveHTTP((_request, response) => {
      requested += 1;
      if (requested === 1) {
        response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' }).end();
      } else {
        redirect(response, `${target}/docs.git${ADVERTISEMENT}`);
      }
    });
    await failure(`${url}/docs.git`);
    expect([requested > 1, reached]).toEqual([true, 0]);
  });

  test('follows a redirect to an allowed repository', async () => {
    const server = await serve();
    const repository = await server.createRepository({ 'README.md': 'x' });
    const url = await serveHTTP((_request, response) =>
      redirect(response, `${repository.url}${ADVERTISEMENT}`),
    );
    const cloned = await clone(`${url}/old-name.git`);
    expect((await cloned.readTree()).files).toHaveLength(1);
  });

  test.each([
    ['more than five times', (request: IncomingMessage) => `${request.url}`],
    ['to a login page', () => '/login'],
    ['to another protocol', () => `ftp://127.0.0.1/docs.git${ADVERTISEMENT}`],
    ['to nothing', () => 'http://'],
  ])('rejects a redirect %s', async (_name, location) => {
    const url = await serveHTTP((request, response) => redirect(response, location(request)));
    expect(await failure(`${url}/docs.git`)).toMatchObject({ code: 'refused-redirect' });
  });

  test.each([
    'file:///etc',
    'ext::sh -c true',
    'git://127.0.0.1/docs.git',
    'ftp://127.0.0.1/docs.git',
    'fd::17/docs',
    'http+unix://x/y',
  ])('rejects the protocol of %s', async (url) => {
    expect(await failure(url)).toMatchObject({ code: 'refused-protocol' });
  });

  test.each([
    '--upload-pack=touch /tmp/x',
    '-u',
    '/etc',
    'git@git.example:docs.git',
    'http://',
    'https://git.example/',
    'http://127.0.0.1/x?y=z',
    'ssh://-oProxyCommand=x@127.0.0.1/docs',
    'ssh://%2DoProxyCommand=x@127.0.0.1/docs',
  ])('rejects %s, which is not a repository', async (url) => {
    expect((await failure(url)).code).toMatch(/^(invalid-url|refused-protocol)$/);
  });

  test.each([
    'main',
    '--upload-pack=x',
    '-refs/heads/x',
    'refs/heads/',
    'refs/heads/-x',
    'refs/heads/a..b',
    'refs/heads/a:b',
    'refs/heads/a b',
    'refs/heads/.a',
    'refs/heads/a.lock',
    'refs/heads/*',
    'refs/heads/a\n',
    'refs/pull/1/head',
    'HEAD',
  ])('rejects the ref %j', async (ref) => {
    expect(await failure('http://127.0.0.1/docs.git', { ref })).toMatchObject({ code: 'invalid-ref' });
  });
});
