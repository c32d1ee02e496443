import { createClient, ok } from '../../../client/platform/index.ts';
import { MAX_INLINE_CHARACTERS } from '../../../server/content/threads/threads.ts';
import { createThreads } from '../../../server/threads/threads.ts';
import { addPages, type Branch, createBranch } from '../../support/content/branch-pages.ts';
import { ORDINARY_SHAPES } from '../../support/content/markdown-shapes.ts';
import { type Amounts, amountFor, type Benchmark, type Size } from '../benchmark.ts';
import type { Costs, MarkdownTasks, Page, Rounds } from '../children/markdown.ts';
import { type BenchEngine, onEachEngine } from '../engines.ts';
import { type Figure, milliseconds, ratioOf } from '../table.ts';

/** Amounts of work of a run. */
interface MarkdownAmounts extends Rounds {
  shapes: readonly string[];
  /** Characters of the pages of each shape, and of those of {@link LARGE_SHAPES}. */
  medium: number;
  large: number;
  /** Pages of each shape that are read over HTTP. */
  readPages: number;
}

const AMOUNTS: Amounts<MarkdownAmounts> = {
  full: {
    shapes: Object.keys(ORDINARY_SHAPES),
    medium: 100_000,
    large: 1_000_000,
    readPages: 3,
    rounds: 5,
    roundMs: 150,
    inlineRounds: 15,
  },
  tiny: {
    shapes: ['lists', 'math'],
    medium: 1000,
    large: 2000,
    readPages: 1,
    rounds: 1,
    roundMs: 0,
    inlineRounds: 1,
  },
};

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
/** Length of the pages that are read over HTTP. */
const READ_CHARACTERS = 20_000;
/** Repetitions of reads from the cache, which are fast. */
const READS_AGAIN = 5;

/**
 * Cost of parsing pages of one construct: a page compared with ten of a tenth of its length and with the parser
 * alone; the longest parse outside a thread; and a page that is read again over HTTP.
 */
export const benchmark: Benchmark = {
  description: 'parsing of pages of one construct, and reads of parsed pages',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const { shapes, medium, large, readPages, ...rounds } = amountFor(size, AMOUNTS);
  const entry = new URL('../children/markdown.ts', import.meta.url);
  const threads = createThreads<MarkdownTasks>({ entry, threads: 1 });
  const options = { owner: 'bench', bytes: 0, limits: LIMITS };
  const costs = (page: Page, withParser: boolean): Promise<Costs> =>
    threads.run('costs', { ...page, ...rounds, withParser }, options);
  for (const shape of shapes) {
    const { whole, tenths, parser = Number.NaN } = await costs({ shape, characters: medium }, true);
    report(grown({ shape, characters: medium }, '', whole, tenths));
    report({
      name: `${shape}, ${kilobytes(medium)}, compared with the parser`,
      result: milliseconds(whole),
      baseline: `${milliseconds(parser)} parser alone`,
      ratio: ratioOf(whole, parser),
      target: 'at most 3x',
    });
    if (!LARGE_SHAPES.includes(shape)) {
      continue;
    }
    // Shapes that exceed the maximum nodes of a document at 1 MB are shown verbatim.
    for (const characters of [large, large / 2, large / 4]) {
      const problem = await threads.run('problem', { shape, characters }, options);
      if (problem && characters < large) {
        continue;
      }
      const { whole, tenths } = await costs({ shape, characters }, false);
      report(grown({ shape, characters }, problem ? ` (${problem})` : '', whole, tenths));
      if (!problem) {
        break;
      }
    }
  }
  const longest = await threads.run(
    'longest',
    { characters: MAX_INLINE_CHARACTERS, rounds: rounds.inlineRounds },
    options,
  );
  await threads.close();
  report({
    name: `longest read on the request thread, ${MAX_INLINE_CHARACTERS} characters: ${longest.shape}`,
    result: milliseconds(longest.time),
    baseline: '5 ms',
    ratio: longest.time / 5,
    target: 'at most 1x',
  });
  await onEachEngine(async (engine) => report(await measureReads(engine, shapes, readPages)));
}

function grown({ shape, characters }: Page, note: string, complete: number, tenths: number): Figure {
  return {
    name: `${shape}, ${kilobytes(characters)}${note}, compared with ten tenths`,
    result: milliseconds(complete),
    baseline: `${milliseconds(tenths)} for ten of ${kilobytes(characters / 10)}`,
    ratio: ratioOf(10 * complete, tenths),
    target: 'at most 12x',
  };
}

/** CPU of the server for repeated reads of pages over HTTP compared with the first. */
async function measureReads(
  { engine, startService }: BenchEngine,
  shapes: readonly string[],
  readPages: number,
): Promise<Figure> {
  const service = await startService();
  const client = createClient({ baseUrl: service.url, token: service.token });
  const organizationId = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  const branch = await createBranch({ client, token: service.token }, organizationId);
  const sets: string[][] = [];
  for (let set = 0; set <= readPages; set++) {
    sets.push(
      await addPages(
        branch,
        shapes.map((shape) => `Page ${set}.\n\n${ORDINARY_SHAPES[shape]?.(READ_CHARACTERS)}`),
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
    ratio: ratioOf(again, first),
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
