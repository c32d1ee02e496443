import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../../../client/build/main.ts';
import { packages } from '../../../client/build/packages.ts';
import { amountFor, type Benchmark, type Size } from '../benchmark.ts';
import { type Figure, median, milliseconds, ratioOf } from '../table.ts';

const root = join(import.meta.dirname, '../../..');

/** Module of a project that installs the package: its minimal use of the client. */
const CALL = `import { createClient } from '@colophon/platform-client';

const client = createClient({ baseUrl: 'https://docs.example.com' });
const { data } = await client.GET('/v1/orgs/{organizationId}', {
  params: { path: { organizationId: 'org_acme' } },
});
console.log(data?.title);
`;

/** CPU of the compiler for a module with one call of the published client, compared with an empty module. */
export const benchmark: Benchmark = {
  description: 'CPU of the type check of one call of the published client',
  run,
};

async function run(size: Size, report: (figure: Figure) => void): Promise<void> {
  const rounds = amountFor(size, { full: 15, tiny: 1 });
  const project = mkdtempSync(join(tmpdir(), 'colophon-bench-types-'));
  try {
    build(root, join(project, 'node_modules/@colophon'), { 'platform-client': packages['platform-client'] });
    const call = writeProject(project, 'call', CALL);
    const empty = writeProject(project, 'empty', 'export {};\n');
    const costs = { call: [] as number[], empty: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      costs.empty.push(cpuOfCheck(empty));
      costs.call.push(cpuOfCheck(call));
    }
    const [callTime, emptyTime] = [median(costs.call), median(costs.empty)];
    report({
      name: 'CPU of the type check of one call',
      result: milliseconds(callTime),
      baseline: `${milliseconds(emptyTime)} an empty module`,
      ratio: ratioOf(callTime, emptyTime),
      target: 'at most 1.3x',
    });
  } finally {
    rmSync(project, { recursive: true });
  }
}

/** Writes a module and a configuration as `tsc --init` suggests it for a browser. Returns its folder. */
function writeProject(project: string, name: string, text: string): string {
  const folder = join(project, name);
  mkdirSync(folder);
  const compilerOptions = {
    target: 'es2024',
    lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  writeFileSync(join(folder, 'main.ts'), text);
  return folder;
}

/** Returns the milliseconds of CPU, of all threads, that the compiler takes for a project. */
function cpuOfCheck(folder: string): number {
  const compiler = join(fileURLToPath(import.meta.resolve('typescript/package.json')), '../bin/tsc');
  // Node reports the CPU of its own process only.
  const timed = `TIMEFORMAT='%3U %3S'; time "$@"`;
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', timed, 'bash', process.execPath, compiler, '-p', folder],
    { encoding: 'utf8' },
  );
  const [user, system] = stderr.trim().split(' ').map(Number);
  if (status !== 0 || user === undefined || system === undefined) {
    throw new Error(`The project does not compile:\n${stdout}${stderr}`);
  }
  return (user + system) * 1000;
}
