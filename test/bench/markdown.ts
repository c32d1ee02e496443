import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mathFromMarkdown } from 'mdast-util-math';
import { gfm } from 'micromark-extension-gfm';
import { math } from 'micromark-extension-math';
import { parseMarkdown } from '../../server/content/markdown/markdown.ts';
import { syntaxNodes } from '../../server/content/markdown/windows.ts';
import { ORDINARY_SHAPES } from '../support/markdown-shapes.ts';
import { type Figure, milliseconds } from './table.ts';

const SMALL = 10_000;
const LARGE = 100_000;
/** Syntax alone is read of what is longer: a document as large as that exceeds its limits. */
const HUGE = 1_000_000;
const ROUNDS = 1;
/** Pages whose syntax is read at the largest size too; the others are of the same kinds. */
const HUGE_SHAPES = ['prose', 'one paragraph', 'HTML blocks', 'tags'];

const extensions = [gfm(), math({ singleDollarTextMath: false })];
const mdastExtensions = [...gfmFromMarkdown(), mathFromMarkdown()];

/**
 * What reading pages of one construct costs: ten times the text beside the text, and beside what the parser alone
 * takes for it. CPU time, as the machine may have other work.
 */
export async function measureMarkdown(): Promise<Figure[]> {
  for (const shape of Object.values(ORDINARY_SHAPES)) read(shape(SMALL));
  return Object.entries(ORDINARY_SHAPES).flatMap(([name, shape]) => {
    const [small, large] = [shape(SMALL), shape(LARGE)];
    // More often, lest the clock's ticks and the collector's turns count.
    const costs = { small: cpu(() => read(small), ROUNDS * 4), large: cpu(() => read(large), ROUNDS) };
    const alone = cpu(() => fromMarkdown(large, { extensions, mdastExtensions }), ROUNDS);
    const figures = [
      grown(`${name}, ${kilobytes(LARGE)}`, costs.large, costs.small, kilobytes(SMALL)),
      {
        what: `${name}, ${kilobytes(LARGE)}, beside the parser`,
        ours: milliseconds(costs.large),
        beside: `${milliseconds(alone)} parser alone`,
        ratio: costs.large / alone,
        aim: 'at most 3x',
      },
    ];
    if (!HUGE_SHAPES.includes(name)) return figures;
    const huge = shape(HUGE);
    const syntax = cpu(() => syntaxNodes(large), ROUNDS);
    const grownSyntax = cpu(() => syntaxNodes(huge), 1);
    return [
      ...figures,
      grown(`syntax of ${name}, ${kilobytes(HUGE)}`, grownSyntax, syntax, kilobytes(LARGE)),
    ];
  });
}

function grown(what: string, ours: number, least: number, size: string): Figure {
  return {
    what: `${what}, beside a tenth of it`,
    ours: milliseconds(ours),
    beside: `${milliseconds(least)} for ${size}`,
    ratio: ours / least,
    aim: 'at most 12x',
  };
}

const read = (markdown: string) => parseMarkdown(markdown);

/** Milliseconds of CPU that the cheapest of some runs takes. */
function cpu(work: () => unknown, runs: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

const kilobytes = (characters: number): string => `${characters / 1000} kB`;
