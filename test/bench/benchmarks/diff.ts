import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Amounts, amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { type Figure, median, megabytes, milliseconds, ratioOf } from '../table.ts';

/** Size of the compared documents, in a full run that of the largest public ones. */
const AMOUNTS: Amounts<{ rounds: number; bytes: number }> = {
  full: { rounds: 7, bytes: 13_000_000 },
  tiny: { rounds: 1, bytes: 1 },
};
const root = join(import.meta.dirname, '../../..');

/** Prints the resources of a process when it ends. */
const REPORT_USAGE = `data:text/javascript,process.on('exit', () => process.stderr.write(JSON.stringify(process.resourceUsage())))`;
const PARSE = `for (const path of process.argv.slice(1)) JSON.parse(require('node:fs').readFileSync(path, 'utf8'))`;

/** CPU and memory of `diff` for two large documents, compared with a process that only parses them. */
export const benchmark: Benchmark = {
  description: 'CPU and memory of diff for two large documents, compared with parsing them',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const { rounds, bytes } = amountFor(size, AMOUNTS);
  const folder = mkdtempSync(join(tmpdir(), 'colophon-bench-diff-'));
  try {
    const contract = readFileSync(join(root, 'generated/openapi.json'), 'utf8');
    const paths = [join(folder, 'base.json'), join(folder, 'head.json')] as const;
    const base = largeDocument(contract, bytes);
    writeFileSync(paths[0], base);
    // Operations of many kinds return the schema.
    const changed = contract.replace('"Space": {', '"Space": { "minProperties": 1,');
    writeFileSync(paths[1], largeDocument(changed, bytes));
    const command = ['spec/toolchain/cli.ts', 'diff', ...paths, '--format', 'json', '--fail-on', 'none'];
    const diffs: Usage[] = [];
    const parses: Usage[] = [];
    for (let round = 0; round < rounds; round += 1) {
      diffs.push(usageOf(command));
      parses.push(usageOf(['--eval', PARSE, ...paths]));
    }
    const of = (usages: readonly Usage[], key: keyof Usage) => median(usages.map((usage) => usage[key]));
    const name = `two documents of ${megabytes(base.length)}`;
    report({
      name: `CPU of diff, ${name}`,
      result: milliseconds(of(diffs, 'cpu')),
      baseline: `${milliseconds(of(parses, 'cpu'))} parsing them`,
      ratio: ratioOf(of(diffs, 'cpu'), of(parses, 'cpu')),
      target: 'under 2000 ms',
    });
    report({
      name: `peak memory of diff, ${name}`,
      result: megabytes(of(diffs, 'memory')),
      baseline: `${megabytes(of(parses, 'memory'))} parsing them`,
      ratio: ratioOf(of(diffs, 'memory'), of(parses, 'memory')),
      target: 'at most 2.5x',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Resources of a process: milliseconds of CPU, and bytes. */
interface Usage {
  cpu: number;
  memory: number;
}

function usageOf(args: readonly string[]): Usage {
  const { status, stderr } = spawnSync(process.execPath, ['--import', REPORT_USAGE, ...args], {
    cwd: root,
    encoding: 'utf8',
    // The report of tens of thousands of changes.
    maxBuffer: 1024 ** 3,
  });
  if (status !== 0) {
    throw new Error(`The process failed with ${status}:\n${stderr}`);
  }
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(stderr);
  return { cpu: (userCPUTime + systemCPUTime) / 1000, memory: maxRSS * 1024 };
}

/** Parts of a contract that are repeated. */
interface Contract {
  paths: Record<string, unknown>;
  components: Record<string, Record<string, unknown>>;
}

/** Repeats a contract with other paths, operation ids and components until it is large enough. */
function largeDocument(contract: string, bytes: number): string {
  const copies = Math.ceil(bytes / contract.length);
  const { paths, components, ...rest }: Contract = JSON.parse(contract);
  const merged: Contract = { ...rest, paths: {}, components: {} };
  for (let copy = 0; copy < copies; copy += 1) {
    const renamed = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value)
          .replaceAll(/"#\/components\/(schemas|parameters|responses)\//g, `$&Copy${copy}.`)
          .replaceAll('"operationId":"', `$&copy${copy}.`),
      );
    for (const [path, item] of Object.entries(paths)) {
      merged.paths[`/copy${copy}${path}`] = renamed(item);
    }
    for (const [group, named] of Object.entries(components)) {
      const merging = merged.components[group] ?? {};
      merged.components[group] = merging;
      for (const [name, component] of Object.entries(named)) {
        const key = group === 'securitySchemes' ? name : `Copy${copy}.${name}`;
        merging[key] = renamed(component);
      }
    }
  }
  return JSON.stringify(merged, undefined, 2);
}
