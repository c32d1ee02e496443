import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { planContent } from '../../../server/content/edit/plan-content.ts';
import { MAX_LOADED_RECORDS, planIndex } from '../../../server/content/links/maintain.ts';
import { readRepository } from '../../../server/content/repository/read/repository.ts';
import { Content, contentAt } from '../../../server/content/tree/content.ts';
import { EMPTY, readRoot } from '../../../server/content/tree/content-root.ts';
import { textObject } from '../../../server/content/tree/objects.ts';
import type { DocumentRecord, PageRecord } from '../../../server/content/tree/records.ts';
import { Memory } from '../store/memory.ts';

/* Memory that an import retains for the many pages that it reads. */

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Returns the bytes of the heap that remain in use after some work while its result is referenced. */
async function retainedBytes(work: () => unknown): Promise<number> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const result = await work();
  collectGarbage();
  const retained = process.memoryUsage().heapUsed - before;
  expect(result).toBeDefined();
  return retained;
}

const TEXTS = 600;
const TEXT_CHARACTERS = 100_000;
/** Half of what the texts themselves occupy: the heap also contains what other tests of the process left or release. */
const MAX_RETAINED_BYTES = (TEXTS * TEXT_CHARACTERS) / 2;

const page = (at: number): DocumentRecord => ({
  id: `page_${at}`,
  parent: at < 10 ? null : `page_${at % 10}`,
  title: `Page ${at}`,
  type: 'document',
  slug: `page-${at}`,
  documentId: `doc_${at}`,
  body: textObject(text(at)).hash,
});
const text = (at: number) => `[next](page-${at + 1}.md) and [another](/pages/page_${at})`;

test('retains no text of a page from a repository', async () => {
  const textOf = (path: string) =>
    `---\ndescription: What ${path} is about\ntitle: The title of ${path}\n---\n\n${'Text. '.repeat(TEXT_CHARACTERS / 6)}`;
  const files = Array.from({ length: TEXTS }, (_, at) => {
    const path = `a-page-with-a-name-${at}.md`;
    return { path, oid: path, size: TEXT_CHARACTERS, mode: '100644' };
  });
  const read = (path: string) => Buffer.from(textOf(path));
  const retained = await retainedBytes(() => readRepository({ list: () => files, read }));
  expect(retained).toBeLessThan(MAX_RETAINED_BYTES);
});

test('retains no text in cached links', async () => {
  const memory = new Memory();
  const link = '[a page with a name](a-page-with-a-name.md) ';
  const large = (at: number) => `${at} ${link}${'Text. '.repeat(TEXT_CHARACTERS / 6)}`;
  const indexes = new Map(Array.from({ length: TEXTS }, (_, at) => [textObject(large(at)).hash, at]));
  const pages = new Map(
    Array.from(indexes, ([body, at]): [string, PageRecord] => [`page_${at}`, { ...page(at), body }]),
  );
  const load = async (hashes: readonly string[]) =>
    new Map(hashes.map((hash) => [hash, large(indexes.get(hash) ?? 0)]));
  const retained = await retainedBytes(async () => {
    const planned = await planContent(null, { pages }, async (hashes) => await load(hashes));
    memory.keep(planned.objects);
    return planned;
  });
  expect(retained).toBeLessThan(MAX_RETAINED_BYTES);
});

test('loads the records of many pages in parts, with the same index', async () => {
  const memory = new Memory();
  const pages = Array.from({ length: 2.5 * MAX_LOADED_RECORDS }, (_, at) => page(at));
  const children = Map.groupBy(pages, ({ parent }) => parent);
  const planOf = async (base: string | null, some: readonly PageRecord[]) => {
    const planned = await planContent(
      base,
      {
        pages: new Map(some.map((record) => [record.id, record])),
        children: new Map(Array.from(children, ([parent, list]) => [parent, list.map(({ id }) => id)])),
        texts: base === null ? pages.map((_, at) => textObject(text(at))) : [],
      },
      memory.load,
    );
    memory.keep(planned.objects);
    return planned.root;
  };
  const first = await planOf(null, pages);

  const loaded: number[] = [];
  class Watched extends Content {
    override async readPages(ids: Iterable<string>) {
      const records = await super.readPages(ids);
      loaded.push(records.size);
      return records;
    }
  }
  const { index, ...roots } = await readRoot(first, memory.load);
  const touched = { pages: pages.map(({ id }) => id), files: [] };
  const planned = await planIndex(new Content(EMPTY, memory.load), new Watched(roots, memory.load), touched);
  expect(planned.index).toEqual(index);
  expect(Math.max(...loaded)).toBe(MAX_LOADED_RECORDS);

  // Top-level pages get another slug, in one part with some of their children, like some pages in other parts.
  const renamed = pages.map(
    (record, at): PageRecord =>
      (at < 10 || at % 7 === 0) && record.type === 'document'
        ? { ...record, slug: `${record.slug}-new` }
        : record,
  );
  const changed = renamed.filter((record, at) => record !== pages[at]);
  const incremental = await readRoot(await planOf(first, changed), memory.load);
  const root = await readRoot(await planOf(null, renamed), memory.load);
  expect(incremental.index).toEqual(root.index);
  expect((await contentAt(first, memory.load)).roots.index).toEqual(index);
});
