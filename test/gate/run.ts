import { type Copy, editsOf } from './copy.ts';
import type { ExpectedFailure, Mutation } from './mutation.ts';
import { isStep, type PartRunner, stepsOver } from './parts.ts';

/** Result of a mutation. */
export interface Result {
  mutation: Mutation;
  /** Expected failures that occurred with the expected report. */
  caught: ExpectedFailure[];
  /** Expected failures that did not occur or had another reason, with the report of the part. */
  missing: { failure: ExpectedFailure; report: string }[];
  /** Steps of the check that failed unexpectedly. */
  unexpected: { part: string; report: string }[];
  durationMs: number;
}

/**
 * Applies a mutation and runs the expected parts and every step of the check that reads the changed files: the list of
 * mutations specifies exactly which of them fail.
 *
 * @param parts filter of the expected parts; all by default
 */
export async function tryAlone(
  copy: Copy,
  runner: PartRunner,
  mutation: Mutation,
  parts: (part: ExpectedFailure['part']) => boolean = () => true,
): Promise<Result> {
  const startedAt = performance.now();
  const expected = mutation.failures.filter(({ part }) => parts(part));
  const files = editsOf(mutation).map(({ file }) => file);
  if (mutation.generate) {
    files.push(...GENERATED);
  }
  const affectedSteps = new Set(files.flatMap(stepsOver));
  const reports = await reportsOf(
    copy,
    runner,
    [mutation],
    [...expected, ...[...affectedSteps].filter(parts).map((part) => ({ part }))],
  );
  const unexpected = [...reports]
    .filter(
      ([part, report]) =>
        isStep(part) && report !== '' && !mutation.failures.some((failure) => failure.part === part),
    )
    .map(([part, report]) => ({ part, report }));
  return { ...judge(mutation, expected, reports), unexpected, durationMs: performance.now() - startedAt };
}

const GENERATED = ['generated/schema.d.ts', 'generated/openapi.json'];

/**
 * Applies independent mutations together and runs each part once: it must report every one of them. A dozen mutations
 * take the time of one.
 */
export async function tryTogether(
  copy: Copy,
  runner: PartRunner,
  mutations: readonly Mutation[],
  parts: (part: ExpectedFailure['part']) => boolean = () => true,
): Promise<Result[]> {
  const startedAt = performance.now();
  const expected = (mutation: Mutation) => mutation.failures.filter(({ part }) => parts(part));
  const reports = await reportsOf(copy, runner, mutations, mutations.flatMap(expected));
  const durationMs = performance.now() - startedAt;
  return mutations.map((mutation) => ({
    ...judge(mutation, expected(mutation), reports),
    unexpected: [],
    durationMs,
  }));
}

/** Returns the report of each part for a copy with mutations. */
async function reportsOf(
  copy: Copy,
  runner: PartRunner,
  mutations: readonly Mutation[],
  runs: readonly Pick<ExpectedFailure, 'part' | 'only'>[],
): Promise<Map<string, string>> {
  const reports = new Map<string, string>();
  await copy.apply(mutations);
  runner.changed();
  try {
    if (mutations.some(({ generate }) => generate)) {
      await runner.generate();
    }
    for (const part of new Set(runs.map((run) => run.part))) {
      const only = runs.flatMap((run) => (run.part === part && run.only !== undefined ? [run.only] : []));
      reports.set(part, await runner.run(part, [...new Set(only)]));
    }
  } finally {
    await copy.restore();
  }
  return reports;
}

function judge(
  mutation: Mutation,
  expected: readonly ExpectedFailure[],
  reports: ReadonlyMap<string, string>,
) {
  const result: Pick<Result, 'mutation' | 'caught' | 'missing'> = { mutation, caught: [], missing: [] };
  for (const failure of expected) {
    const report = reports.get(failure.part) ?? '';
    const matches =
      typeof failure.report === 'string' ? report.includes(failure.report) : failure.report.test(report);
    if (matches) {
      result.caught.push(failure);
    } else {
      result.missing.push({ failure, report });
    }
  }
  return result;
}

/** Describes the problems of a result for a person; empty if the gate works. */
export function problemsOf({ mutation, caught, missing, unexpected }: Result): string[] {
  const shown = (report: string) => (report === '' ? 'It succeeded.' : `Report:\n${indented(report)}`);
  return [
    ...(caught.length === 0 && unexpected.length === 0 ? [`"${mutation.name}" survives the gate.`] : []),
    ...missing.map(
      ({ failure, report }) =>
        `"${mutation.name}": ${failure.part} does not report ${String(failure.report)}. ${shown(report)}`,
    ),
    ...unexpected.map(
      ({ part, report }) => `"${mutation.name}": ${part} fails unexpectedly. ${shown(report)}`,
    ),
  ];
}

const MAX_REPORT_CHARACTERS = 2000;
const indented = (text: string) => text.slice(0, MAX_REPORT_CHARACTERS).replaceAll(/^/gm, '    ');
