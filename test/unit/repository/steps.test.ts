import { describe, expect, test } from 'vitest';
import type { RepositoryFile } from '../../../server/content/repository/files.ts';
import { readInSteps, readRepository } from '../../../server/content/repository/read/repository.ts';
import { allSteps, sortInSteps } from '../../../server/content/repository/steps.ts';
import { runYielding } from '../../../server/content/tree/yielding.ts';

const LINKS = 64;

/** Builds a repository with pages that link to each other, with or without a table of contents. */
function repository(pages: number, isListed: boolean) {
  const texts = new Map<string, string>();
  for (let page = 0; page < pages; page += 1) {
    const links = Array.from({ length: LINKS }, (_, at) => `[next](page-${(page + at) % pages}.md)\n`);
    texts.set(`page-${page}.md`, `# Page ${page}\n\n${links.join('')}`);
  }
  const entries = [...texts.keys()].map((path) => `* [Of ${path}](${path})\n`);
  if (isListed) {
    texts.set('SUMMARY.md', `# Summary\n\n${entries.join('')}`);
  }
  const files = [...texts].map(([path, text]): RepositoryFile => {
    return { path, oid: path, size: text.length, mode: '100644' };
  });
  return { list: () => files, read: (path: string) => Buffer.from(texts.get(path) ?? '') };
}

describe.each([
  ['by a table of contents', true],
  ['by folders', false],
])('a repository that is read %s', (_, isListed) => {
  test('takes steps of at most one page, and more of them for pages with links', () => {
    const files = repository(200, isListed);
    let reads = 0;
    const read = (path: string) => {
      reads += 1;
      return files.read(path);
    };
    const steps = readInSteps({ ...files, read });
    let count = 0;
    for (let step = steps.next(); !step.done; step = steps.next()) {
      expect(reads, `texts read by step ${count}`).toBeLessThanOrEqual(1);
      reads = 0;
      count += 1;
    }
    expect(count).toBeGreaterThan(200 * LINKS);
  });

  test('lets other work proceed between pages that take long', async () => {
    const files = repository(30, isListed);
    let turns = 0;
    const others = setInterval(() => (turns += 1));
    const seen: number[] = [];
    const read = (path: string) => {
      seen.push(turns);
      // Longer than a turn.
      for (const end = performance.now() + 6; performance.now() < end; ) {}
      return files.read(path);
    };
    const { pages } = await runYielding(readInSteps({ ...files, read }));
    clearInterval(others);
    expect(new Set(seen).size).toBe(seen.length);
    expect(JSON.stringify(pages)).toBe(JSON.stringify(readRepository(files).pages));
  });
});

test('sorts items in steps as at once, with equal ones in their order', () => {
  const items = Array.from({ length: 5321 }, (_, at) => ({ at, by: (at * 7919) % 613 }));
  const steps = sortInSteps(items, (item, other) => item.by - other.by);
  expect(steps.next().done).toBe(false);
  expect(allSteps(sortInSteps(items, (item, other) => item.by - other.by))).toEqual(
    items.toSorted((item, other) => item.by - other.by),
  );
});
