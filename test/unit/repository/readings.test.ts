import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, asyncProperty } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadRepositoryFiles } from '../../../server/content/repository/files.ts';
import { MAX_SAMPLED_PAGES } from '../../../server/content/repository/read/pages.ts';
import { entriesWithText, type ImportedBodies } from '../../../server/content/repository/read/records.ts';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import type { ImportedContent } from '../../../server/content/repository/types.ts';
import { Readings, readRepositoryWith } from '../../../server/content/transfer/readings.ts';
import { manyPages } from '../../support/content/repositories.ts';
import { commits, firstTexts, type Texts } from '../../support/content/repository-edits.ts';
import { runs } from '../../support/seed.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'readings-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const hashOf = (text: string) => createHash('sha1').update(text).digest('hex');

/** Returns a repository of texts, and the paths of the texts that are read from it. */
function repositoryOf(texts: Texts) {
  const byOid = new Map(Object.entries(texts).map(([path, text]) => [hashOf(text), { path, text }]));
  const read: string[] = [];
  return {
    read,
    readTree: async () => ({
      files: Object.entries(texts).map(([path, text]) => ({
        path,
        oid: hashOf(text),
        size: Buffer.byteLength(text),
        mode: '100644',
      })),
      skipped: [],
    }),
    async *readBlobs(oids: Iterable<string>) {
      for (const oid of oids) {
        const { path, text } = byOid.get(oid) ?? { path: '', text: '' };
        read.push(path);
        yield { oid, content: Buffer.from(text) };
      }
    },
  };
}

/** Imports texts like a job, with the readings of the folder. Returns the content and the paths that were read. */
async function importWithReadings(texts: Texts, treeURL?: string, home = folder) {
  const repository = repositoryOf(texts);
  const readings = await Readings.open(home);
  using loaded = await loadRepositoryFiles(repository, folder, '', (oid) => readings.has(oid));
  const imported = await readRepositoryWith(readings, loaded, '', { treeURL });
  const bodies: ImportedBodies = new Map();
  const entries = entriesWithText(imported);
  const unknown = entries.filter((entry) => !('reading' in entry && entry.reading?.hash !== undefined));
  await loaded.load(unknown.map(({ git }) => git.path));
  for (const entry of entries) {
    const known = 'reading' in entry ? entry.reading?.hash : undefined;
    bodies.set(entry, known ?? hashOf(entry.markdown));
  }
  await readings.save(imported, bodies);
  return { read: repository.read.sort(), content: comparable(imported, (entry) => bodies.get(entry)) };
}

/** Imports texts without readings. */
async function importAlone(texts: Texts, treeURL?: string) {
  using loaded = await loadRepositoryFiles(repositoryOf(texts), folder);
  const imported = readRepository(loaded, '', { treeURL });
  return comparable(imported, (entry) => hashOf(entry.markdown));
}

/** Returns content as plain data, with hashes in place of texts. */
function comparable(
  imported: ImportedContent,
  hash: (entry: ReturnType<typeof entriesWithText>[number]) => string | undefined,
) {
  const texts = entriesWithText(imported).map((entry) => [entry.git.path, hash(entry)]);
  const omitted = new Set(['markdown', 'reading']);
  const plain = JSON.stringify(imported, (name, value) => (omitted.has(name) ? undefined : value));
  return { texts, content: JSON.parse(plain) as unknown };
}

describe('readings of a repository', () => {
  test('change nothing in what an import reads', async () => {
    await assert(
      asyncProperty(commits, async (sequence) => {
        const home = await mkdtemp(join(folder, 'home-'));
        const texts = firstTexts();
        for (const { edits, treeURL } of [{ edits: [], treeURL: undefined }, ...sequence]) {
          for (const edit of edits) {
            edit(texts);
          }
          const { content } = await importWithReadings(texts, treeURL, home);
          expect(content).toEqual(await importAlone(texts, treeURL));
        }
      }),
      { numRuns: runs(60) },
    );
  });

  test('limit an import to the texts that changed', async () => {
    const home = await mkdtemp(join(folder, 'home-'));
    const texts = manyPages(200);
    const first = await importWithReadings(texts, undefined, home);
    expect(first.read).toHaveLength(201);
    texts['group-1/page-30.md'] = '# Page 30\n\nOther text.\n';
    const second = await importWithReadings(texts, undefined, home);
    expect(second.read).toEqual(['SUMMARY.md', 'group-1/page-30.md']);
    texts['SUMMARY.md'] = texts['SUMMARY.md']?.replace('[Page 40]', '[Page forty]') ?? '';
    const third = await importWithReadings(texts, undefined, home);
    // Its text begins with its title in the summary no longer.
    expect(third.read).toEqual(['SUMMARY.md', 'group-1/page-40.md']);
  });

  test('have samples of further pages when others are removed', async () => {
    const home = await mkdtemp(join(folder, 'home-'));
    const texts = manyPages(MAX_SAMPLED_PAGES + 20);
    await importWithReadings(texts, undefined, home);
    delete texts['README.md'];
    const again = await importWithReadings(texts, undefined, home);
    expect(again.read).toEqual(['SUMMARY.md', expect.stringContaining(`page-${MAX_SAMPLED_PAGES - 1}.md`)]);
    expect(again.content).toEqual(await importAlone(texts));
  });

  test('of other code are not used', async () => {
    const home = await mkdtemp(join(folder, 'home-'));
    const texts = manyPages(10);
    await importWithReadings(texts, undefined, home);
    const path = join(home, 'readings');
    await writeFile(path, (await readFile(path, 'utf8')).replace(/^[0-9a-f]+/, 'another'));
    expect((await importWithReadings(texts, undefined, home)).read).toHaveLength(11);
    expect((await importWithReadings(texts, undefined, home)).read).toEqual(['SUMMARY.md']);
  });
});
