// `npm run bench` measures and prints figures next to their targets. `npm run bench -- cpu lists` measures some.
// Ratios hold on any machine; the figures themselves hold only for this machine.
import { cpus } from 'node:os';
import { measureCalls } from './client.ts';
import { measureContent } from './content.ts';
import { measureCpu } from './cpu.ts';
import { measureDiff } from './diff.ts';
import { measureFiles } from './files.ts';
import { measureImport } from './git-import.ts';
import { measureLists } from './lists.ts';
import { measureMarkdown } from './markdown.ts';
import { measureImportMemory, measureMemory } from './memory.ts';
import { measurePdf } from './pdf.ts';
import { measureReimport } from './reimport.ts';
import { measureScale } from './scale.ts';
import { measureSearch } from './search.ts';
import { measureSites } from './sites.ts';
import { measureStalls } from './stalls.ts';
import { measureStart } from './start.ts';
import { type Figure, formatFigures } from './table.ts';
import { measureTypes } from './types.ts';

const measurements: Readonly<Record<string, () => Promise<Figure[]>>> = {
  cpu: measureCpu,
  start: measureStart,
  memory: measureMemory,
  client: measureCalls,
  lists: measureLists,
  'git-import': async () => [...(await measureImport()), ...(await measureReimport())],
  'import-memory': measureImportMemory,
  files: measureFiles,
  content: measureContent,
  markdown: measureMarkdown,
  pdf: measurePdf,
  stalls: measureStalls,
  scale: measureScale,
  search: measureSearch,
  sites: measureSites,
  types: measureTypes,
  diff: measureDiff,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(measurements);
const figures: Figure[] = [];
for (const name of names) {
  const measure = measurements[name];
  if (!measure) {
    throw new Error(`Unknown measurement ${name}. Specify one of: ${Object.keys(measurements).join(', ')}.`);
  }
  console.error(`measuring ${name} …`);
  figures.push(...(await measure()));
}
console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}\n`);
console.log(formatFigures(figures));
