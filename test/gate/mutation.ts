/** What `npm run check` looks at, step by step; their names are the toolchain's. */
export const STEPS = [
  'format',
  'contract format',
  'lint',
  'contract',
  'features',
  'drift',
  'released',
  'types',
] as const;
export type StepName = (typeof STEPS)[number];

/** One part of the gate that a mutation must turn red, and how to recognise that it is red because of it. */
export interface ExpectedFailure {
  /** A step of the check, `diff`, `conform`, or the path of a file of tests. */
  part: StepName | 'diff' | 'conform' | `test/${string}.test.ts`;
  /** What the report of the part must hold: nothing else in the house may make it say so. */
  report: string | RegExp;
  /** Of tests, the ones to run, by a pattern of their names; of a conformance run, the operation to look at. */
  only?: string;
}

/** A replacement of text in one file. */
export interface Edit {
  /** Relative to the root of the repository. */
  file: string;
  /** Text that the file must hold exactly once. */
  from: string;
  to: string;
}

/** One seeded disagreement between contract, generated files, server, client, tests and the released contract. */
export interface Mutation extends Edit {
  /** What was done, as somebody would confess it. No two are alike. */
  name: string;
  /** Further edits without which the first would be another mistake than the one that is meant. */
  also?: Edit[];
  /** Whether the author generates afterwards, as one who changes the contract should. */
  generate?: true;
  /** The parts that must turn red: every step of the check that does, and all others that are worth their time. */
  failures: ExpectedFailure[];
}

/** The red of a step of the check. */
export const step = (part: StepName, says: ExpectedFailure['report']): ExpectedFailure => ({
  part,
  report: says,
});

/** A type error in a file, by words of its message where the file could hold others. */
export const types = (file: string, words = ''): ExpectedFailure => ({
  part: 'types',
  report: new RegExp(`^${file}:\\d+:\\d+ error .*${words}`, 'm'),
});

/** A break of the released contract, told by the step of the check and by the command `diff` alike. */
export const breaks = (says: ExpectedFailure['report']): ExpectedFailure[] => [
  { part: 'released', report: says },
  { part: 'diff', report: says },
];

/** A failing test, by a regular expression for its name; only the tests that match it are run. */
export const test = (file: `test/${string}`, only: string): ExpectedFailure => ({
  part: `${file}.test.ts`,
  only,
  report: new RegExp(`failed: .*${only}`),
});

/**
 * A failure that `conform` finds when it looks at an operation.
 *
 * @param blamed the operation that the failure is told of, where it is another one
 */
export const conform = (operation: string, check: string, blamed = operation): ExpectedFailure => ({
  part: 'conform',
  only: operation,
  report: `${blamed} ${check}: `,
});
