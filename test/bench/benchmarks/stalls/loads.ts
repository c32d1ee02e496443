import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { ok } from '../../../../client/platform/index.ts';
import { flatten } from '../../../support/content/imports.ts';
import { importRepository, type LoadTarget, newSpace, repeat, SPECIFICATION_SLUG } from './sources.ts';
import { VISITOR_LOADS } from './visitors.ts';

/** Requests of the first caller by their row of the table. */
export const LOADS: Readonly<Record<string, (target: LoadTarget) => Promise<unknown>>> = {
  'a page of 8 MB of list items, written and read': (target) =>
    writeAndRead(target, repeat('- a\n', 8_000_000 * target.scale)),
  'pages of 100 kB of list items': (target) => readMany(target, repeat('- a\n', 100_000 * target.scale)),
  'pages of 100 kB of table rows': (target) =>
    readMany(target, `| a | b |\n| - | - |\n${repeat('| c | d |\n', 100_000 * target.scale)}`),
  'pages of 100 kB of prose': (target) =>
    readMany(
      target,
      repeat('The quick *brown* fox [jumps](over.md) the `lazy` dog.\n', 100_000 * target.scale),
    ),
  'imports of 2.5 MB of HTML': (target) => importContent(target, 'large.html', 'html'),
  'imports of a Word document': (target) => importContent(target, 'large.docx', 'docx'),
  'a specification with a description of 2 MB': describedSpecification,
  'a specification of 13 MB, and its pages': largeSpecification,
  'a Git import of front matter of 7 MB': (target) => importRepository(target, 'frontMatter'),
  'a Git import of 20,000 pages, and their tree': importManyPages,
  'Git imports of 2,000 pages that are all indexed again': importVariables,
  'a Git import of a file of 200 MB, and ranges of it': importLargeFile,
  'compressed bodies without a token': compressedBodies,
  'JSON of 16 MB': largeJson,
  'merges of pages of 1 MB': mergeLargePages,
  'a PDF of a page of 1 MB': printLargePage,
  'a PDF of 900 pages': printManyPages,
  ...VISITOR_LOADS,
};

/** Creates a page in a new change request of a space. */
async function writePage({ client }: LoadTarget, spaceId: string, markdown: string, title = 'Large') {
  const params = { path: { spaceId } };
  const { id } = await ok(client.POST('/v1/spaces/{spaceId}/change-requests', { params, body: {} }));
  const path = { spaceId, changeRequestId: id };
  const changes = [{ operation: 'insert_page' as const, title, document: { markdown } }];
  await ok(
    client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params: { path },
      body: { changes },
    }),
  );
  const tree = await ok(
    client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages', { params: { path } }),
  );
  const page = flatten(tree.pages).find((item) => item.title === title);
  return { ...path, pageId: page?.id ?? '' };
}

async function writeAndRead(target: LoadTarget, markdown: string): Promise<void> {
  const path = await writePage(target, await newSpace(target), markdown);
  for (const format of ['document', 'markdown', 'document'] as const) {
    await ok(
      target.client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}', {
        params: { path, query: { format } },
      }),
    );
  }
}

/** Returns different pages. None of them is cached. */
async function readMany(target: LoadTarget, markdown: string): Promise<void> {
  for (let at = 0; at < Math.ceil(10 * target.scale); at++) {
    await writeAndRead(target, `${markdown}\n\nPage ${at}\n`);
  }
}

async function importContent(target: LoadTarget, file: string, source: 'html' | 'docx'): Promise<void> {
  const params = { path: { spaceId: await newSpace(target) } };
  const body = { url: `${target.sources.site.url}/${file}`, source };
  // It may be rejected because of its content.
  await target.client.POST('/v1/spaces/{spaceId}/content/import', { params, body });
}

async function describedSpecification(target: LoadTarget): Promise<void> {
  const slug = `described-${performance.now().toString(36).replace('.', '-')}`;
  const info = { title: 'Described', version: '1', description: repeat('- a\n', 2_000_000 * target.scale) };
  await createSpecification(target, slug, JSON.stringify({ openapi: '3.1.0', info, paths: {} }));
}

/** Processes a specification, computes its pages in a space, and indexes and reads them. */
async function largeSpecification(target: LoadTarget): Promise<void> {
  const operation = {
    summary: 'Reads an item',
    description: repeat('The *item* and its `parts`.\n\n', 3000 * target.scale),
    responses: { 200: { description: 'The item.' } },
  };
  const paths: Record<string, object> = {};
  for (let at = 0; at < 4000 * target.scale; at++) {
    paths[`/items-${at}`] = { get: { ...operation, operationId: `item${at}`, tags: [`Part ${at % 40}`] } };
  }
  const info = { title: 'Large', version: '1' };
  await createSpecification(target, SPECIFICATION_SLUG, JSON.stringify({ openapi: '3.1.0', info, paths }));
  const spaceId = await importRepository(target, 'specification');
  await ok(target.client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId } } }));
}

/** Creates a specification, and waits until it is processed. */
async function createSpecification(
  { client, organizationId }: LoadTarget,
  slug: string,
  text: string,
): Promise<void> {
  const params = { path: { organizationId } };
  await ok(client.POST('/v1/orgs/{organizationId}/openapi', { params, body: { slug, source: { text } } }));
  const path = { organizationId, specSlug: slug };
  await until(async () => {
    const spec = await ok(client.GET('/v1/orgs/{organizationId}/openapi/{specSlug}', { params: { path } }));
    return spec.processingState === 'complete';
  });
}

async function importManyPages(target: LoadTarget): Promise<void> {
  const spaceId = await importRepository(target, 'manyPages');
  for (let at = 0; at < 3; at++) {
    await ok(target.client.GET('/v1/spaces/{spaceId}/content/pages', { params: { path: { spaceId } } }));
  }
  await ok(target.client.GET('/v1/spaces/{spaceId}/content', { params: { path: { spaceId } } }));
}

/** Imports pages, and again with another variable, which any page may display. */
async function importVariables(target: LoadTarget): Promise<void> {
  const spaceId = await importRepository(target, 'variables');
  const repository = await target.sources.repository('variables');
  await repository.update({ '.gitbook/vars.yaml': `product: Colophon ${performance.now()}\n` });
  await importRepository(target, 'variables', spaceId);
}

async function importLargeFile(target: LoadTarget): Promise<void> {
  const spaceId = await importRepository(target, 'largeFile');
  const params = { path: { spaceId } };
  const { items } = await ok(target.client.GET('/v1/spaces/{spaceId}/content/files', { params }));
  const url = items[0]?.downloadURL ?? '';
  for (let at = 0; at < 50 * target.scale; at++) {
    await (await fetch(url, { headers: { Range: 'bytes=0-0' } })).arrayBuffer();
  }
  await fetch(url, { method: 'HEAD' });
}

async function compressedBodies({ service, organizationId, scale }: LoadTarget): Promise<void> {
  const body = gzipSync(Buffer.alloc(Math.ceil(15_000_000 * scale), '[')).subarray();
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  const url = `${service.url}/v1/orgs/${organizationId}/openapi`;
  for (let at = 0; at < 20 * scale; at++) {
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
        await response?.arrayBuffer();
      }),
    );
  }
}

async function largeJson({ service, organizationId, scale }: LoadTarget): Promise<void> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${service.token}` };
  const url = `${service.url}/v1/orgs/${organizationId}/openapi`;
  const size = Math.ceil(15_000_000 * scale);
  const bodies = ['[', '{"a":', '0,'].map((text) => repeat(text, size));
  bodies.push(
    `[${repeat('{"a":[0,"b"]},', size)}0]`,
    JSON.stringify({ slug: 'a', source: { text: 'a'.repeat(size) } }),
  );
  for (const body of bodies) {
    const response = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
    await response?.arrayBuffer();
  }
}

async function mergeLargePages(target: LoadTarget): Promise<void> {
  const spaceId = await newSpace(target);
  const prose = repeat('The quick *brown* fox jumps over the `lazy` dog.\n\n', 1_000_000 * target.scale);
  for (let at = 0; at < 5 * target.scale; at++) {
    const path = await writePage(target, spaceId, `${at} ${prose}`, `Large ${at}`);
    const { spaceId: space, changeRequestId } = path;
    await ok(
      target.client.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', {
        params: { path: { spaceId: space, changeRequestId } },
      }),
    );
  }
}

async function printLargePage(target: LoadTarget): Promise<void> {
  const prose = repeat('The quick *brown* fox jumps over the `lazy` dog.\n\n', 1_000_000 * target.scale);
  await print(target, await writePage(target, await newSpace(target), prose));
}

async function printManyPages(target: LoadTarget): Promise<void> {
  await print(target, await writePage(target, await importRepository(target, 'printed'), 'One more.'));
}

async function print(
  { client }: LoadTarget,
  { spaceId, changeRequestId }: { spaceId: string; changeRequestId: string },
): Promise<void> {
  const { url } = await ok(
    client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', {
      params: { path: { spaceId, changeRequestId } },
    }),
  );
  await (await fetch(url)).arrayBuffer();
}

/** Polls until the condition is true, for at most a minute: an import that takes longer is still measured. */
async function until(done: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (performance.now() < end && !(await done())) {
    await delay(100);
  }
}
