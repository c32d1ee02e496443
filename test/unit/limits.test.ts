import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Growth, TABLE_GROWTH } from '../../server/database/schema/growth.ts';
import { NO_LIMITS } from './limits-none.ts';

const SERVER = join(import.meta.dirname, '../../server');

/** Names of limits: a maximum, or a noun with a unit. */
const LIMIT_NAME = /^MAX_|_(?:MS|BYTES|CHARACTERS|COST|LIMITS?|MB|PER_[A-Z_]+)$/;

/** Matches a constant of a module with a number or an arithmetic expression as its value. */
const NUMBER =
  /^(?<exported>export )?const (?<name>[A-Za-z][A-Za-z\d_]*)(?:: number)? = (?<value>[\w\s.*/+()-]+);/gm;
const ARITHMETIC = /^(?:0[xob][\da-f]+|\d[\d_.]*n?|[A-Z][A-Z\d_]*|[\s*/+()-])+$/;

/** A limit of the server: an exported constant that is a number, or an object of numbers. */
interface Limit {
  name: string;
  value: string;
  /** The first sentence of its doc comment. */
  description: string;
  file: string;
}

/** Formats a number with the unit that the name ends with. */
function withUnit(name: string, value: number): string {
  const [divisor, unit] = unitOf(name, value);
  const rate = unit !== '' && name.endsWith('_PER_SECOND') ? '/s' : '';
  return `${(value / divisor).toLocaleString('en')}${unit && ` ${unit}`}${rate}`;
}

function unitOf(name: string, value: number): [divisor: number, unit: string] {
  if (name.endsWith('_DAYS')) {
    return [1, 'd'];
  }
  if (name.endsWith('_MB')) {
    return [1, 'MiB'];
  }
  if (/(?:_MS|Ms|milliseconds)$|_MS_PER_/.test(name)) {
    if (value % 86_400_000 === 0) {
      return [86_400_000, 'd'];
    }
    if (value % 3_600_000 === 0) {
      return [3_600_000, 'h'];
    }
    if (value % 60_000 === 0) {
      return [60_000, 'min'];
    }
    return value % 1000 === 0 ? [1000, 's'] : [1, 'ms'];
  }
  if (!/bytes(?:$|_?per)|_BODY_LIMIT$/i.test(name)) {
    return [1, ''];
  }
  if (value % 1_048_576 === 0) {
    return [1_048_576, 'MiB'];
  }
  return value % 1024 === 0 ? [1024, 'KiB'] : [1, 'B'];
}

function describeValue(name: string, value: unknown): string | undefined {
  if (typeof value === 'number') {
    return withUnit(name, value);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return undefined;
  }
  const parts = Object.entries(value).map(([key, part]) =>
    typeof part === 'number' ? `${key}: ${withUnit(key, part)}` : undefined,
  );
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(', ');
}

/** Returns the limits that a module exports, in source order. */
async function limitsOf(file: string): Promise<Limit[]> {
  const text = readFileSync(join(SERVER, file), 'utf8');
  const declared = [
    ...text.matchAll(
      /(?:\/\*\*(?<comment>(?:(?!\*\/)[\s\S])*)\*\/\n)?^export const (?<name>[A-Z][A-Z\d_]+)\b(?<rest>[^;]*);/gm,
    ),
  ];
  if (declared.length === 0) {
    return [];
  }
  const exported: Record<string, unknown> = await import(join(SERVER, file));
  return declared.flatMap(({ groups: { name = '', comment = '', rest = '' } = {} }) => {
    const known = LIMIT_NAME.test(name) ? describeValue(name, exported[name]) : undefined;
    if (known === undefined) {
      return [];
    }
    const value = rest.includes('availableParallelism') ? 'by the number of cores' : known;
    const words = comment
      .replaceAll(/\s*\n\s*\*? ?/g, ' ')
      .replaceAll(/\{@link (\w+)\}/g, '`$1`')
      .replaceAll(/, in (?:milliseconds|bytes)\b/g, '')
      .trim();
    const description = /^.*?[.:](?= |$)/.exec(words)?.[0].replace(/[.:]$/, '') ?? words;
    return [{ name, value, description, file }];
  });
}

/** Returns the numeric constants of a module that are not in the list of limits. */
function unlisted(file: string): string[] {
  const text = readFileSync(join(SERVER, file), 'utf8');
  return [...text.matchAll(NUMBER)].flatMap(({ groups = {} }) => {
    const { exported, name = '', value = '' } = groups;
    const isNumber = ARITHMETIC.test(value) && /\d|[*/+]/.test(value);
    const isListed = exported !== undefined && /^[A-Z\d_]+$/.test(name) && LIMIT_NAME.test(name);
    return isNumber && !isListed ? [`${file} ${name}`] : [];
  });
}

/** @throws Error if the limit of the policy is none of the limits of the server */
function growthRow(table: string, { kind, policy, limit }: Growth, limits: readonly Limit[]): string {
  const [module, name] = limit ?? [];
  const applied = limits.find((other) => other.file === module && other.name === name);
  if (limit && !applied) {
    throw new Error(`The limit of ${table} does not exist: ${limit.join(' ')}`);
  }
  const shown = applied ? `${applied.value} [\`${applied.name}\`](${applied.file})` : '';
  return `| ${table} | ${kind} | ${policy} | ${shown} |`;
}

test('lists every numeric constant as a limit or as another constant', () => {
  const constants = globSync('**/*.ts', { cwd: SERVER }).toSorted().flatMap(unlisted);
  const excluded = Object.values(NO_LIMITS).flat();
  // Export a limit under a name that matches LIMIT_NAME, or list the constant in NO_LIMITS with the reason.
  expect(constants.filter((item) => !excluded.includes(item))).toEqual([]);
  expect(excluded.filter((item) => !constants.includes(item))).toEqual([]);
});

test('has a list of limits that matches the code', async () => {
  const files = globSync('**/*.ts', { cwd: SERVER }).toSorted();
  const limits = (await Promise.all(files.map(limitsOf))).flat();
  const undescribed = limits
    .filter(({ description }) => description === '')
    .map(({ file, name }) => `${file} ${name}`);
  expect(undescribed).toEqual([]);
  const rows = limits.map(
    ({ name, value, description, file }) =>
      `| ${description.replaceAll('|', '\\|')} | ${value} | [\`${name}\`](${file}) |`,
  );
  const page = [
    '# Limits',
    '',
    'Every limit of the server. The test suite compares this page with the code; to update it, run ' +
      '`npm test -- test/unit/limits.test.ts -u`. Limits of requests, such as the maximum length of a title, are in ' +
      'the contract.',
    '',
    '| limit | value | constant |',
    '| --- | --- | --- |',
    ...rows,
    '',
    '## Growth of tables',
    '',
    'What limits the number of rows of each table of the database. Tables that grow without content are purged, in ' +
      'short statements.',
    '',
    '| table | growth | policy | limit |',
    '| --- | --- | --- | --- |',
    ...Object.entries(TABLE_GROWTH).map(([table, growth]) => growthRow(table, growth, limits)),
    '',
  ].join('\n');
  await expect(page).toMatchFileSnapshot(join(SERVER, 'limits.md'));
});
