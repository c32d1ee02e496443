// `npm run bench` measures and prints figures next to their targets; `npm run bench -- cpu lists` measures some.
// Ratios hold on any machine; the figures themselves hold only for this machine.
import { constants, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type Benchmark, SIZES, type Size } from './benchmark.ts';
import { checkOut, type TemporaryCheckout } from './checkout.ts';
import { type BenchmarkModule, findBenchmarks } from './registry.ts';
import { type BenchmarkResult, runBenchmarks } from './runner.ts';
import { formatFigure, formatFigures } from './table.ts';

const HELP = `Measures the server and the client.

  npm run bench -- [NAME...] [--size ${SIZES.join('|')}] [--against COMMIT]

With --against, cpu measures the service of another commit in turn with this one. Without names, all benchmarks run, which takes long. Benchmarks:
`;

/** An incorrect command line. */
class UsageError extends Error {}

/**
 * The program. Returns its exit status.
 *
 * @param all The benchmarks that can run.
 */
export async function main(
  args: string[],
  all: readonly BenchmarkModule[] = findBenchmarks(),
): Promise<number> {
  const { values, positionals } = parseCommandLine(args);
  if (values.help) {
    console.log(HELP + (await descriptionsOf(all)));
    return 0;
  }
  const selected = positionals.length > 0 ? select(all, positionals) : all;
  const size = sizeOf(values.size);
  // Signals that arrive while the commit is copied end the run after it.
  const interrupt = interruption();
  const against = values.against === undefined ? undefined : checkOutCommit(values.against);
  try {
    const results = await runBenchmarks(selected, {
      size,
      against,
      signal: interrupt.signal,
      onStart: (name) => console.error(`\n${name}`),
      onFigure: (_, figure) => console.error(`  ${formatFigure(figure)}`),
      onEnd: ({ failure, durationMs }) => {
        const seconds = Math.round(durationMs / 1000);
        console.error(failure === undefined ? `  completed in ${seconds} s` : `  failed: ${failure}`);
      },
    });
    printResults(results);
    return interrupt.status() ?? (results.some(({ failure }) => failure !== undefined) ? 1 : 0);
  } finally {
    against?.remove();
  }
}

/** Returns a signal that aborts when this process is to end, and the exit status that it then has. */
function interruption(): { signal: AbortSignal; status: () => number | undefined } {
  const controller = new AbortController();
  let status: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      status = 128 + constants.signals[name];
      controller.abort();
    });
  }
  return { signal: controller.signal, status: () => status };
}

function parseCommandLine(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        size: { type: 'string', default: 'full' },
        against: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}`);
  }
}

function select(all: readonly BenchmarkModule[], names: readonly string[]): BenchmarkModule[] {
  return names.map((name) => {
    const found = all.find((benchmark) => benchmark.name === name);
    if (!found) {
      const known = all.map((benchmark) => benchmark.name).join(', ');
      throw new UsageError(`Unknown benchmark ${name}. Specify some of: ${known}.`);
    }
    return found;
  });
}

function checkOutCommit(revision: string): TemporaryCheckout {
  try {
    return checkOut(revision);
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new UsageError(`The commit ${revision} cannot be measured: ${reason}`);
  }
}

function sizeOf(text: string): Size {
  const size = SIZES.find((known) => known === text);
  if (!size) {
    throw new UsageError(`Unknown size ${text}. Specify one of: ${SIZES.join(', ')}.`);
  }
  return size;
}

async function descriptionsOf(all: readonly BenchmarkModule[]): Promise<string> {
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(async ({ name, module }) => {
    const { benchmark }: { benchmark: Benchmark } = await import(module);
    return `  ${name.padEnd(width)}  ${benchmark.description}`;
  });
  return (await Promise.all(lines)).join('\n');
}

function printResults(results: readonly BenchmarkResult[]): void {
  console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}\n`);
  console.log(formatFigures(results.flatMap(({ figures }) => figures)));
  const failed = results.filter(({ failure }) => failure !== undefined);
  if (failed.length > 0) {
    const names = failed.map(({ name }) => name).join(', ');
    console.log(`\n${failed.length} of ${results.length} benchmarks failed: ${names}. The causes are above.`);
  }
}

if (import.meta.main) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof UsageError ? error.message : error);
    process.exitCode = 1;
  }
}
