import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JOB_GRACE_MS, REQUEST_GRACE_MS } from '../../server/process/start.ts';
import { makeFolder } from '../support/content/repository-copy.ts';
import { hasOwnPostgres } from '../support/database/own-postgres.ts';
import { missingLine, openReader, type Reader, readBlocks, readText } from '../support/guides.ts';
import { freePort } from '../support/processes/ports.ts';
import { startContainer } from './deployment/container.ts';
import { createDocker, type Docker, settingsOfTests } from './deployment/docker.ts';
import { CAN_CHANGE_USER } from './deployment/image.ts';
import { lintCompose, lintDockerfile, lintKubernetes, lintUnit } from './deployment/linters.ts';

const PAGE = 'server/running.md';
const DOCKERFILE = 'server/Dockerfile';
const COMPOSE = 'server/compose.yaml';
const KUBERNETES = 'server/kubernetes.yaml';
const UNIT = 'server/colophon.service';

/** Linters of the files, each with a mistake that it must report. */
const LINTERS = [
  [DOCKERFILE, lintDockerfile, 'EXPOSE 3000', 'EXPOSED 3000', 'EXPOSED'],
  [COMPOSE, lintCompose, 'read_only: true', 'readonly: true', 'must NOT have additional properties'],
  [KUBERNETES, lintKubernetes, 'readinessProbe:', 'readinesProbe:', 'readinesProbe'],
  [UNIT, lintUnit, 'ProtectHome=', 'ProtectHomes=', 'ProtectHomes'],
] as const;

test.each(LINTERS)('%s has no problems', async (file, lint, text, mistake, message) => {
  expect(await lint(readText(file))).toEqual([]);
  expect(await lint(readText(file).replace(text, mistake))).toEqual([expect.stringContaining(message)]);
});

test('all files start the server with the flags of npm start', () => {
  const [, flags = ''] = /"start": "node (--\S+) server/.exec(readText('package.json')) ?? [];
  expect(readText(DOCKERFILE)).toContain(`CMD ["node", "${flags}", `);
  expect(readText(UNIT)).toContain(`/node ${flags} server/start.js\n`);
});

test('all files give the server the time that it needs to stop', () => {
  const needed = (REQUEST_GRACE_MS + JOB_GRACE_MS) / 1000;
  const secondsOf = (file: string, pattern: RegExp) => Number(pattern.exec(readText(file))?.[1]);
  const services = readText(COMPOSE).split('\n  server:\n');
  expect(Number(/stop_grace_period: (\d+)s/.exec(services[1] ?? '')?.[1])).toBeGreaterThan(needed);
  expect(secondsOf(UNIT, /TimeoutStopSec=(\d+)/)).toBeGreaterThan(needed);
  const delay = secondsOf(KUBERNETES, /sleep, "(\d+)"/);
  expect(secondsOf(KUBERNETES, /terminationGracePeriodSeconds: (\d+)/)).toBeGreaterThan(needed + delay);
});

if (!CAN_CHANGE_USER) {
  console.warn('Containers run as the account of the tests, because only root can run them as another user.');
}

describe.skipIf(!hasOwnPostgres())('the container', () => {
  let folder: Awaited<ReturnType<typeof makeFolder>>;
  let docker: Docker;
  let reader: Reader;
  let token = '';

  beforeAll(async () => {
    folder = await makeFolder();
    docker = await createDocker(folder.folder);
    reader = openReader(folder);
    let printed = '';
    for (const block of readBlocks(PAGE).filter(({ section }) => section === 'Containers')) {
      if (block.text.startsWith('docker ')) {
        printed = await docker.run(block.text.trim());
      } else if (block.action === 'shows') {
        expect(missingLine(printed, block.text)).toBe(undefined);
      } else {
        await reader.follow(block);
      }
    }
    token = printed.trim();
  });

  afterAll(async () => {
    await docker?.close();
    await reader?.close();
    await folder?.remove();
  });

  test('contains Git, the certificates and the program of scripts, and no tools of the repository', async () => {
    const { image, server } = docker;
    expect(image.packages).toEqual(['ca-certificates', 'git']);
    const sandbox = 'node_modules/@colophon/platform/server/sandbox/program.js';
    const print = `console.log((await import('./${sandbox}')).findProgram())`;
    const program = await server.execute(['node', '--input-type=module', '--eval', print]);
    expect(await server.execute([program.trim(), '--version'])).toMatch(/^workerd /);
    const files = await readdir(join(image.root, 'app/node_modules'));
    expect(files).toContain('express');
    expect(files.filter((file) => ['vitest', 'typescript', '@typespec'].includes(file))).toEqual([]);
  });

  test('serves requests as an unprivileged user, and writes only to its volume', async () => {
    const { image, server, services, url } = docker;
    const statusOf = async (path: string) => (await fetch(`${url}${path}`)).status;
    expect(await Promise.all(['/healthz', '/readyz', '/docs', '/v1/user'].map(statusOf))).toEqual([
      200, 200, 200, 401,
    ]);
    const headers = { Authorization: `Bearer ${token}` };
    expect(await (await fetch(`${url}/v1/user`, { headers })).json()).toMatchObject({
      email: 'ada@example.com',
    });
    expect(services.server.volumes).toEqual(['data:/var/lib/colophon']);
    expect(await readdir(join(image.root, 'var/lib/colophon'))).toEqual(['compiled', 'data']);
    const write = `require('fs').writeFileSync('node_modules/file', '')`;
    if (CAN_CHANGE_USER) {
      expect(await server.execute(['id', '-u'])).toBe('1000\n');
      await expect(server.execute(['node', '--eval', write])).rejects.toThrow('EACCES');
    }
  });

  test('stops on its signal, and is then not healthy', async () => {
    const { server } = docker;
    expect(await server.stop(REQUEST_GRACE_MS)).toEqual({ code: 0, signal: null });
    expect(server.program.output.stderr).toContain('"msg":"stopping');
    expect(server.program.output.stderr).not.toMatch(/"level":[56]0/);
    expect(await server.isHealthy()).toBe(false);
  });

  test('runs without PostgreSQL', async () => {
    const { image } = docker;
    const server = startContainer(image, await settingsOfTests(image, await freePort()));
    try {
      await server.waitUntilHealthy();
      expect(server.program.output.stdout).toContain('(SQLite)');
      expect(await server.stop(REQUEST_GRACE_MS)).toEqual({ code: 0, signal: null });
    } finally {
      await server.kill();
    }
  });
});
