import { createClient, ok } from '../../../client/platform/index.ts';
import { parseMarkdown } from '../../../server/content/markdown/markdown.ts';
import { addPages, createBranch } from '../../support/content/branch-pages.ts';
import { amountFor, type Benchmark } from '../benchmark.ts';
import { type BenchEngine, onEachEngine } from '../engines.ts';
import { type Figure, milliseconds, ratioOf } from '../table.ts';

/** Number of different words of the pages. */
const VOCABULARY = 4000;

/**
 * Cost of a PDF of a large space: its first download, with the processor time compared with that of parsing its pages
 * alone; its first bytes; and a download from the cache.
 */
export const benchmark: Benchmark = {
  description: 'a PDF of a large space, compared with parsing its pages, and from the cache',
  run: async (size, report) => {
    const length = amountFor(size, { full: 900, tiny: 2 });
    const texts = Array.from({ length }, (_, at) => pageText(at));
    await onEachEngine((engine) => measureOn(engine, texts, report));
  },
};

async function measureOn(
  { engine, startService }: BenchEngine,
  texts: readonly string[],
  report: (figure: Figure) => void,
): Promise<void> {
  const service = await startService();
  const client = createClient({ baseUrl: service.url, token: service.token });
  const organization = (await ok(client.GET('/v1/orgs'))).items[0]?.id ?? '';
  const branch = await createBranch({ client, token: service.token }, organization);
  await addPages(branch, texts);
  const { spaceId, changeRequestId } = branch;
  const params = { path: { spaceId, changeRequestId } };
  const { url } = await ok(
    client.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/pdf', { params }),
  );
  const parsing = parsingTime(texts);
  const before = await service.usage();
  const first = await download(url);
  const printing = ((await service.usage()).cpu - before.cpu) / 1000;
  const again = await download(url);
  await service.stop();
  const label = `PDF of ${texts.length} pages`;
  report({
    name: `${label}, processor time, on ${engine}`,
    result: milliseconds(printing),
    baseline: `${milliseconds(parsing)} parsing alone`,
    ratio: ratioOf(printing, parsing),
    target: TARGET,
  });
  report({
    name: `${label}, first bytes, on ${engine}`,
    result: milliseconds(first.firstByte),
    baseline: `${milliseconds(first.total)} in total`,
    ratio: ratioOf(first.firstByte, first.total),
    target: 'at most 0.2x',
  });
  report({
    name: `${label}, again, on ${engine}`,
    result: milliseconds(again.total),
    baseline: `${milliseconds(first.total)} the first time`,
    ratio: ratioOf(again.total, first.total),
    target: 'at most 0.1x',
  });
}

/** It was 3.5x while pages were parsed twice, and fontkit shaped whole words. */
const TARGET = 'at most 2.2x';

/** Returns the milliseconds that a download takes. */
async function download(url: string): Promise<{ firstByte: number; total: number }> {
  const started = performance.now();
  const response = await fetch(url);
  let firstByte = Number.NaN;
  for await (const _ of response.body ?? []) {
    firstByte = Number.isNaN(firstByte) ? performance.now() - started : firstByte;
  }
  if (response.status !== 200) {
    throw new Error(`The PDF has the status ${response.status}.`);
  }
  return { firstByte, total: performance.now() - started };
}

function parsingTime(texts: readonly string[]): number {
  const before = process.cpuUsage();
  for (const text of texts) {
    parseMarkdown(text);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Returns the text of a page of a handbook, about 6 KB. */
function pageText(page: number): string {
  let state = page + 1;
  const next = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  const syllables = [
    'ka',
    'ro',
    'men',
    'ti',
    'sol',
    'ver',
    'and',
    'ing',
    'pre',
    'lo',
    'der',
    'us',
    'fa',
    'ent',
  ];
  const word = (): string => {
    let rest = Math.min(next(VOCABULARY), next(VOCABULARY)) + 1;
    let text = '';
    for (; rest > 0; rest = Math.floor(rest / syllables.length)) {
      text += syllables[rest % syllables.length];
    }
    return text;
  };
  const words = (count: number) => Array.from({ length: count }, word).join(' ');
  const sections = Array.from({ length: 5 }, () =>
    [
      `## ${words(4)}`,
      `${words(40)} **${words(3)}** ${words(20)} \`${word()}\` and [${words(2)}](https://example.com/${word()}).`,
      Array.from({ length: 5 }, () => `* ${words(12)}`).join('\n'),
      `\`\`\`js\nconst ${word()} = ${word()}(${next(1000)});\nreturn ${word()};\n\`\`\``,
      `| ${word()} | ${word()} |\n|---|---|\n${Array.from({ length: 5 }, () => `| ${word()} | ${words(5)} |`).join('\n')}`,
    ].join('\n\n'),
  );
  return sections.join('\n\n');
}
