import { type Copy, editsOf } from './copy.ts';
import type { ExpectedFailure, Mutation } from './mutation.ts';
import { isStep, type PartRunner, stepsOver } from './parts.ts';

/** What became of one mutation. */
export interface Result {
  mutation: Mutation;
  /** The parts that were expected to turn red and did, for the reason that was expected. */
  caught: ExpectedFailure[];
  /** The parts that stayed green, or are red for another reason; with what they said. */
  missing: { red: ExpectedFailure; said: string }[];
  /** Steps of the check that turned red without being expected to. */
  unexpected: { part: string; said: string }[];
  /** Milliseconds. */
  duration: number;
}

/**
 * Applies one mutation and runs the expected parts, and every step of the check that looks at what changed: the
 * list of mutations says exactly which of them are red.
 *
 * @param parts which of the expected parts to run; all unless told otherwise
 */
export async function tryAlone(
  copy: Copy,
  bench: PartRunner,
  mutation: Mutation,
  parts: (part: ExpectedFailure['part']) => boolean = () => true,
): Promise<Result> {
  const begun = performance.now();
  const expected = mutation.failures.filter(({ part }) => parts(part));
  const files = editsOf(mutation).map(({ file }) => file);
  if (mutation.generate) {
    files.push(...GENERATED);
  }
  const touched = new Set(files.flatMap(stepsOver));
  const reports = await reportsOf(
    copy,
    bench,
    [mutation],
    [...expected, ...[...touched].filter(parts).map((part) => ({ part }))],
  );
  const unexpected = [...reports]
    .filter(
      ([part, said]) => isStep(part) && said !== '' && !mutation.failures.some((red) => red.part === part),
    )
    .map(([part, said]) => ({ part, said }));
  return { ...judge(mutation, expected, reports), unexpected, duration: performance.now() - begun };
}

const GENERATED = ['generated/schema.d.ts', 'generated/openapi.json'];

/**
 * Applies mutations that do not get into each other's way all at once, and runs each part once: it must give a
 * reason for every one of them. A dozen mutations take the time of one.
 */
export async function tryTogether(
  copy: Copy,
  bench: PartRunner,
  mutations: readonly Mutation[],
  parts: (part: ExpectedFailure['part']) => boolean = () => true,
): Promise<Result[]> {
  const begun = performance.now();
  const expected = (mutation: Mutation) => mutation.failures.filter(({ part }) => parts(part));
  const reports = await reportsOf(copy, bench, mutations, mutations.flatMap(expected));
  const duration = performance.now() - begun;
  return mutations.map((mutation) => ({
    ...judge(mutation, expected(mutation), reports),
    unexpected: [],
    duration,
  }));
}

/** What each part says of a copy with some mutations. */
async function reportsOf(
  copy: Copy,
  bench: PartRunner,
  mutations: readonly Mutation[],
  wanted: readonly Pick<ExpectedFailure, 'part' | 'only'>[],
): Promise<Map<string, string>> {
  const reports = new Map<string, string>();
  await copy.apply(mutations);
  bench.changed();
  try {
    if (mutations.some(({ generate }) => generate)) {
      await bench.generate();
    }
    for (const part of new Set(wanted.map((one) => one.part))) {
      const only = wanted.flatMap((one) => (one.part === part && one.only !== undefined ? [one.only] : []));
      reports.set(part, await bench.run(part, [...new Set(only)]));
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
  const verdict: Pick<Result, 'mutation' | 'caught' | 'missing'> = { mutation, caught: [], missing: [] };
  for (const red of expected) {
    const said = reports.get(red.part) ?? '';
    const holds = typeof red.report === 'string' ? said.includes(red.report) : red.report.test(said);
    if (holds) {
      verdict.caught.push(red);
    } else {
      verdict.missing.push({ red, said });
    }
  }
  return verdict;
}

/** What is wrong with a verdict, for a person; nothing when the gate did what it should. */
export function problemsOf({ mutation, caught, missing: missed, unexpected }: Result): string[] {
  const told = (said: string) => (said === '' ? 'It is green.' : `It said:\n${indented(said)}`);
  return [
    ...(caught.length === 0 && unexpected.length === 0 ? [`"${mutation.name}" survives the gate.`] : []),
    ...missed.map(
      ({ red, said }) => `"${mutation.name}": ${red.part} does not say ${String(red.report)}. ${told(said)}`,
    ),
    ...unexpected.map(
      ({ part, said }) =>
        `"${mutation.name}": ${part} is red too, which the list does not say. ${told(said)}`,
    ),
  ];
}

const MAX_REPORT_CHARACTERS = 2000;
const indented = (text: string) => text.slice(0, MAX_REPORT_CHARACTERS).replaceAll(/^/gm, '    ');
