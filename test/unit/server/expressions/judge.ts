// Judges the regular expressions that `judged.json` lacks, and removes those that no longer exist. A slow expression is
// printed with a text that proves it: change it, or add it to `bounded` with what bounds the texts that it reads.
// Run it with `npm exec -c "node test/unit/server/expressions/judge.ts"`.
import { readFile, writeFile } from 'node:fs/promises';
import { check } from 'recheck';
import type { Judged } from './judged.ts';
import { uncertainLiterals } from './literals.ts';

const TIMEOUT_MS = 10_000;
const file = new URL('./judged.json', import.meta.url);
process.env.RECHECK_BACKEND = 'pure';

// The file that this program writes.
const judged = JSON.parse(await readFile(file, 'utf8')) as Judged;
const { uncertain } = await uncertainLiterals();
const known = new Set([...judged.safe, ...judged.fuzzed, ...judged.unproven, ...Object.keys(judged.bounded)]);
for (const [literal, places] of uncertain) {
  if (known.has(literal)) {
    continue;
  }
  const end = literal.lastIndexOf('/');
  const result = await check(literal.slice(1, end), literal.slice(end + 1), { timeout: TIMEOUT_MS });
  if (result.status === 'vulnerable') {
    console.log(`${places.join(', ')}: ${literal}\n  ${result.complexity.summary}: ${result.attack.pattern}`);
  } else if (result.status === 'unknown') {
    judged.unproven.push(literal);
  } else {
    judged[result.checker === 'fuzz' ? 'fuzzed' : 'safe'].push(literal);
  }
}
const existing = (literals: readonly string[]) => literals.filter((literal) => uncertain.has(literal)).sort();
const bounded = Object.entries(judged.bounded)
  .filter(([literal]) => uncertain.has(literal))
  .sort();
const written: Judged = {
  safe: existing(judged.safe),
  fuzzed: existing(judged.fuzzed),
  unproven: existing(judged.unproven),
  bounded: Object.fromEntries(bounded),
};
await writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
