import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, ok } from '../../client/index.ts';
import { git, startGitServer } from '../support/git-server.ts';
import { manyPages } from '../support/repositories.ts';
import { startChild } from './child.ts';
import { onEachEngine } from './places.ts';
import { type Figure, median, milliseconds, time } from './table.ts';

const PAGES = 1300;
const ROUNDS = 3;

/** A first import of a docs repository, up to its pages being searchable, beside `git clone` of it alone. */
export async function measureImport(): Promise<Figure[]> {
  const server = await startGitServer();
  const { url } = await server.createRepository(manyPages(PAGES));
  const folder = await mkdtemp(join(tmpdir(), 'colophon-bench-'));
  const clones: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    clones.push(await time(() => git(folder, ['clone', '--quiet', url, `clone-${round}`])));
  const figures = await onEachEngine(async ({ engine, environment }) => {
    const service = await startChild('service', environment);
    const client = createClient({ baseUrl: service.url, token: service.token });
    const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
    const imports: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const body = { title: 'Imported' };
      const params = { path: { organizationId } };
      const space = await ok(client.POST('/v1/orgs/{organizationId}/spaces', { params, body }));
      imports.push(await time(() => importInto(client, space.id, url)));
    }
    await service.stop();
    return {
      what: `import of ${PAGES.toLocaleString('en')} pages, on ${engine}`,
      ours: milliseconds(median(imports)),
      beside: `${milliseconds(median(clones))} git clone`,
      ratio: median(imports) / median(clones),
      aim: 'at most 3x',
    };
  });
  await server.close();
  await rm(folder, { recursive: true });
  return figures;
}

async function importInto(
  client: ReturnType<typeof createClient>,
  spaceId: string,
  url: string,
): Promise<void> {
  const params = { path: { spaceId } };
  const body = { url, ref: 'refs/heads/main' };
  await ok(client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
  const signal = AbortSignal.timeout(120_000);
  while ((await client.GET('/v1/spaces/{spaceId}/git/info', { params, signal })).error) await delay(10);
}
