import { createClient, ok } from '../../client/platform/index.ts';
import { MAX_INLINE_CHARACTERS } from '../../server/content/threads/threads.ts';
import { createThreads } from '../../server/threads/threads.ts';
import { addPages, type Branch, createBranch } from '../support/branch-pages.ts';
import { ORDINARY_SHAPES } from '../support/markdown-shapes.ts';
import { startChild } from './child.ts';
import type { Costs, MarkdownTasks, Page } from './children/markdown.ts';
import { type BenchEngine, onEachEngine } from './engines.ts';
import { type Figure, formatFigures, milliseconds } from './table.ts';

const MEDIUM = 100_000;
const LARGE = 1_000_000;
/** Lengths for shapes that exceed the maximum nodes of a document at 1 MB and are shown verbatim. */
const LENGTHS = [LARGE, LARGE / 2, LARGE / 4];
/** Shapes that are also parsed at the largest lengths; the others are similar. */
const LARGE_SHAPES = [
  'lists',
  'tables',
  'headings',
  'prose',
  'one paragraph',
  'nested quotes',
  'one quote',
  'emphasis',
];

/** No limit of tasks ends a measurement. */
const LIMITS = { processorMs: 600_000, timeMs: 600_000, memoryBytes: 8 * 1024 ** 3 };
/** Pages of each shape that are read over HTTP, and their length. */
const READ_PAGES = 3;
const READ_CHARACTERS = 20_000;
/** Repetitions of reads from the cache, which are fast. */
const READS_AGAIN = 5;

/**
 * Cost of parsing pages of one construct: a page compared with ten of a tenth of its length and with the parser
 * alone; the longest parse outside a thread; and a page that is read again over HTTP.
 */
export async function measureMarkdown(): Promise<Figure[]> {
  const entry = new URL('./children/markdown.ts', import.meta.url);
  const threads = createThreads<MarkdownTasks>({ entry, threads: 1 });
  const options = { owner: 'bench', bytes: 0, limits: LIMITS };
  const costs = (page: Page, withParser: boolean): Promise<Costs> =>
    threads.run('costs', { ...page, withParser }, options);
  const figures: Figure[] = [];
  // The whole takes minutes, so each figure is printed as it is measured.
  const report = (figure: Figure): void => {
    console.error(formatFigures([figure]).split('\n').at(-1));
    figures.push(figure);
  };
  for (const shape of Object.keys(ORDINARY_SHAPES)) {
    const { whole, tenths, parser = Number.NaN } = await costs({ shape, characters: MEDIUM }, true);
    report(grown({ shape, characters: MEDIUM }, '', whole, tenths));
    report({
      name: `${shape}, ${kilobytes(MEDIUM)}, compared with the parser`,
      result: milliseconds(whole),
      baseline: `${milliseconds(parser)} parser alone`,
      ratio: whole / parser,
      target: 'at most 3x',
    });
    if (!LARGE_SHAPES.includes(shape)) {
      continue;
    }
    for (const characters of LENGTHS) {
      const problem = await threads.run('problem', { shape, characters }, options);
      if (problem && characters < LARGE) {
        continue;
      }
      const { whole, tenths } = await costs({ shape, characters }, false);
      report(grown({ shape, characters }, problem ? ` (${problem})` : '', whole, tenths));
      if (!problem) {
        break;
      }
    }
  }
  const longest = await threads.run('longest', MAX_INLINE_CHARACTERS, options);
  await threads.close();
  report({
    name: `longest read on the request thread, ${MAX_INLINE_CHARACTERS} characters: ${longest.shape}`,
    result: milliseconds(longest.time),
    baseline: '5 ms',
    ratio: longest.time / 5,
    target: 'at most 1x',
  });
  (await onEachEngine(measureReads)).forEach(report);
  return figures;
}

function grown({ shape, characters }: Page, note: string, complete: number, tenths: number): Figure {
  return {
    name: `${shape}, ${kilobytes(characters)}${note}, compared with ten tenths`,
    result: milliseconds(complete),
    baseline: `${milliseconds(tenths)} for ten of ${kilobytes(characters / 10)}`,
    ratio: (10 * complete) / tenths,
    target: 'at most 12x',
  };
}

/** CPU of the server for repeated reads of pages over HTTP compared with the first. */
async function measureReads({ engine, environment }: BenchEngine): Promise<Figure> {
  const service = await startChild('service', environment);
  const client = createClient({ baseUrl: service.url, token: service.token });
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  const branch = await createBranch({ client, token: service.token }, organizationId);
  const sets: string[][] = [];
  for (let set = 0; set <= READ_PAGES; set++) {
    sets.push(
      await addPages(
        branch,
        Object.values(ORDINARY_SHAPES).map((shape) => `Page ${set}.\n\n${shape(READ_CHARACTERS)}`),
      ),
    );
  }
  const [warming = [], ...pages] = sets;
  const read = async (ids: readonly string[]): Promise<number> => {
    const before = await service.usage();
    for (const id of ids) {
      await readPage(service.url, branch, id);
    }
    return (await service.usage()).cpu - before.cpu;
  };
  // Warms up the compiler.
  for (let time = 0; time < READS_AGAIN; time++) {
    await read(warming);
  }
  const measured = pages.flat();
  const first = (await read(measured)) / measured.length / 1000;
  const again = (await read(Array(READS_AGAIN).fill(measured).flat())) / measured.length / READS_AGAIN / 1000;
  await service.stop();
  return {
    name: `page of ${kilobytes(READ_CHARACTERS)} read again over HTTP, on ${engine}`,
    result: milliseconds(again),
    baseline: `${milliseconds(first)} the first time`,
    ratio: again / first,
    target: 'at most 0.1x',
  };
}

async function readPage(url: string, branch: Branch, page: string): Promise<void> {
  const path = `spaces/${branch.spaceId}/change-requests/${branch.changeRequestId}/content/page/${page}`;
  const response = await fetch(`${url}/v1/${path}`, { headers: { Authorization: `Bearer ${branch.token}` } });
  if (!response.ok) {
    throw new Error(`Reading a page failed with ${response.status}.`);
  }
  await response.arrayBuffer();
}

const kilobytes = (characters: number): string => `${characters / 1000} kB`;
