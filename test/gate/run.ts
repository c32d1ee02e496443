import { type Copy, editsOf } from './copy.ts';
import type { Mutation, Red } from './mutation.ts';
import { type Bench, isStep, stepsOver } from './parts.ts';

/** What became of one mutation. */
export interface Verdict {
  mutation: Mutation;
  /** The parts that were expected to turn red and did, for the reason that was expected. */
  caught: Red[];
  /** The parts that stayed green, or are red for another reason; with what they said. */
  missed: { red: Red; said: string }[];
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
  bench: Bench,
  mutation: Mutation,
  parts: (part: Red['part']) => boolean = () => true,
): Promise<Verdict> {
  const begun = performance.now();
  const expected = mutation.red.filter(({ part }) => parts(part));
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
    .filter(([part, said]) => isStep(part) && said !== '' && !mutation.red.some((red) => red.part === part))
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
  bench: Bench,
  mutations: readonly Mutation[],
  parts: (part: Red['part']) => boolean = () => true,
): Promise<Verdict[]> {
  const begun = performance.now();
  const expected = (mutation: Mutation) => mutation.red.filter(({ part }) => parts(part));
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
  bench: Bench,
  mutations: readonly Mutation[],
  wanted: readonly Pick<Red, 'part' | 'only'>[],
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

function judge(mutation: Mutation, expected: readonly Red[], reports: ReadonlyMap<string, string>) {
  const verdict: Pick<Verdict, 'mutation' | 'caught' | 'missed'> = { mutation, caught: [], missed: [] };
  for (const red of expected) {
    const said = reports.get(red.part) ?? '';
    const holds = typeof red.says === 'string' ? said.includes(red.says) : red.says.test(said);
    if (holds) {
      verdict.caught.push(red);
    } else {
      verdict.missed.push({ red, said });
    }
  }
  return verdict;
}

/** What is wrong with a verdict, for a person; nothing when the gate did what it should. */
export function complaintsOf({ mutation, caught, missed, unexpected }: Verdict): string[] {
  const told = (said: string) => (said === '' ? 'It is green.' : `It said:\n${indented(said)}`);
  return [
    ...(caught.length === 0 && unexpected.length === 0 ? [`"${mutation.name}" survives the gate.`] : []),
    ...missed.map(
      ({ red, said }) => `"${mutation.name}": ${red.part} does not say ${String(red.says)}. ${told(said)}`,
    ),
    ...unexpected.map(
      ({ part, said }) =>
        `"${mutation.name}": ${part} is red too, which the list does not say. ${told(said)}`,
    ),
  ];
}

const LONGEST = 2000;
const indented = (text: string) => text.slice(0, LONGEST).replaceAll(/^/gm, '    ');
