import { expect, test } from 'vitest';
import { planContent } from '../../../server/content/edit/plan-content.ts';
import { contentAt } from '../../../server/content/tree/content.ts';
import type { PageRecord } from '../../../server/content/tree/records.ts';
import { jsonBytes } from '../../../server/contract/response/json.ts';
import { presentTree } from '../../../server/platform/content/revisions/present.ts';
import { Memory } from './memory.ts';

const PAGES = 20_000;

/** Counts the turns of others during some work. */
async function turnsDuring<Result>(work: Promise<Result>): Promise<{ turns: number; result: Result }> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) {
      setImmediate(count);
    }
  };
  setImmediate(count);
  const result = await work;
  isOver = true;
  return { turns, result };
}

test('reads and presents a tree of 20,000 pages in turns with other requests', async () => {
  const ids = Array.from({ length: PAGES }, (_, at) => `page_${at}`);
  const pages = new Map(
    ids.map((id): [string, PageRecord] => [
      id,
      { type: 'document', id, parent: null, title: id, slug: id, documentId: id },
    ]),
  );
  const memory = new Memory();
  const planned = await planContent(null, { pages, children: new Map([[null, ids]]) }, memory.load);
  memory.keep(planned.objects);

  const content = await contentAt(planned.root, memory.load);
  const read = await turnsDuring(content.readTree());
  expect(read.result).toHaveLength(PAGES);
  expect(read.turns).toBeGreaterThan(3);

  const view = {
    metadata: true,
    pageUrls: (id: string) => ({ location: `https://here/${id}`, app: `https://here/${id}` }),
    downloadURL: () => '',
  };
  const serialized = await turnsDuring(jsonBytes(presentTree(read.result, view)));
  const presented: PageRecord[] = JSON.parse(Buffer.from(serialized.result).toString());
  expect(presented.map(({ id }) => id)).toEqual(ids);
  expect(serialized.turns).toBeGreaterThan(1);
});
