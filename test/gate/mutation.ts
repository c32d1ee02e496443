/** Names of the steps of `npm run check`. */
export const STEPS = [
  'format',
  'contract format',
  'lint',
  'contract',
  'features',
  'drift',
  'generated types',
  'released',
  'types',
] as const;
export type StepName = (typeof STEPS)[number];

/** A part of the gate that must fail for a mutation, and how to recognize the cause in its report. */
export interface ExpectedFailure {
  /** A step of the check, `diff`, `conform`, or the path of a test file. */
  part: StepName | 'diff' | 'conform' | `test/${string}.test.ts`;
  /** Text of the report of the part that has no other cause. */
  report: string | RegExp;
  /** For tests, a pattern of the names to run; for a conformance run, the operation to test. */
  only?: string;
}

/** A replacement of text in one file. */
export interface Edit {
  /** Relative to the root of the repository. */
  file: string;
  /** Text that occurs exactly once in the file. */
  from: string;
  to: string;
}

/** A seeded mistake in the contract, the generated files, the server, the client, the tests or the released contract. */
export interface Mutation extends Edit {
  /** Unique description in the imperative. */
  name: string;
  /** Further edits that the mistake requires. */
  also?: Edit[];
  /** Whether generated files are updated afterwards, as an author of the contract should. */
  generate?: true;
  /** Parts that must fail: every step of the check that does, and all others that are worth their time. */
  failures: ExpectedFailure[];
}

/** Failure of a step of the check. */
export const step = (part: StepName, report: ExpectedFailure['report']): ExpectedFailure => ({
  part,
  report,
});

/** A type error in a file, with text of its message if the file could have others. */
export const types = (file: string, text = ''): ExpectedFailure => ({
  part: 'types',
  report: new RegExp(`^${file}:\\d+:\\d+ error .*${text}`, 'm'),
});

/** A breaking change of the released contract, reported by the step of the check and by the command `diff`. */
export const breaks = (report: ExpectedFailure['report']): ExpectedFailure[] => [
  { part: 'released', report },
  { part: 'diff', report },
];

/** A test with a failing assertion, by a pattern of its name; only matching tests are run. */
export const test = (file: `test/${string}`, only: string): ExpectedFailure => ({
  part: `${file}.test.ts`,
  only,
  report: new RegExp(`^failed: .*${only}`, 'm'),
});

/**
 * A failure of `conform` when it tests an operation.
 *
 * @param reported operation of the failure, if it is another one
 */
export const conform = (operation: string, check: string, reported = operation): ExpectedFailure => ({
  part: 'conform',
  only: operation,
  report: `${reported} ${check}: `,
});
