// Runs the stages of one document, and prints the result of each as one line of JSON: a process of its own, so that a
// deadline and a crash end only this document.
import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { STAGES, type StageName, type StageResult } from './stages.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { name: { type: 'string' }, file: { type: 'string' }, folder: { type: 'string' } },
});
const { name = '', file = '', folder = '' } = values;
await mkdir(folder, { recursive: true });
for (const stage of positionals) {
  const start = performance.now();
  let result: StageResult;
  try {
    // The program that starts this one passes names of stages.
    result = await STAGES[stage as StageName]({ name, file, folder });
  } catch (error) {
    result = { problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)] };
  }
  const ms = Math.round(performance.now() - start);
  const line = JSON.stringify({ stage, ms, ...result });
  await new Promise((resolve) => process.stdout.write(`\n${line}\n`, resolve));
}
process.exit(0);
