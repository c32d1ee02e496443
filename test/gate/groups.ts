import type { ExpectedFailure, Mutation } from './mutation.ts';
import { code } from './mutations/code.ts';
import { contractConventions, contractFaults } from './mutations/contract.ts';
import { contractGenerated } from './mutations/contract-generated.ts';
import { generatedByHand } from './mutations/files.ts';

/** Independent mutations that are applied to one copy together. */
export interface Group {
  name: string;
  mutations: Mutation[];
  /** Parts to run; the others are slow, or cannot distinguish these mutations. */
  parts: ExpectedFailure['part'][];
}

// Mutations that only the test of defaults catches are left to `npm run gate`: the other test file is similar.
const generated = [...contractConventions, ...contractGenerated].filter(({ failures }) =>
  failures.some(({ part }) => part !== 'test/toolchain/contract/defaults.test.ts'),
);

const keyOf = ({ part, report }: ExpectedFailure) => `${part}: ${report}`;
const expectedOfGenerated = new Set(generated.flatMap(({ failures }) => failures.map(keyOf)));

/** Mistakes in code with reports that differ from those of contract changes; others are left to `npm run gate`. */
const otherMistakes = code.filter(
  ({ name, failures }) =>
    // A changed contract adds an operation without a handler in the same file.
    name !== 'remove a handler' && !failures.some((failure) => expectedOfGenerated.has(keyOf(failure))),
);

/** Mutations of every kind that the test suite tries. Within a group, their expected reports differ. */
export const groups: Group[] = [
  {
    name: 'changes of the contract with generated files, and mistakes in code',
    mutations: [...generated, ...otherMistakes],
    parts: [
      'format',
      'contract format',
      'lint',
      'features',
      'released',
      'types',
      'test/toolchain/contract/operations.test.ts',
    ],
  },
  {
    name: 'errors of the contract',
    // For a document of another version, no other error is reported.
    mutations: contractFaults.filter(({ name }) => name !== 'emit another version of OpenAPI'),
    parts: ['contract'],
  },
  { name: 'edits of generated files', mutations: generatedByHand, parts: ['drift'] },
];

/** Mutations that the test suite tries individually: caught by a step, a test of the server runtime and one of the service. */
export const SPREAD = [
  'rename a field of a response in the contract only',
  'return JSON as plain text',
  'list spaces to guests without a grant',
];

/** Mutation that the test suite tries with a conformance run, which takes ten seconds per mutation. */
export const CONFORMING = 'skip an item between two pages of a list';
