import type { ExpectedFailure, Mutation } from './mutation.ts';
import { code } from './mutations/code.ts';
import { contractConventions, contractFaults } from './mutations/contract.ts';
import { contractGenerated } from './mutations/contract-generated.ts';
import { generatedByHand } from './mutations/files.ts';

/** Mutations that are applied to one copy at once: they do not get into each other's way. */
export interface Group {
  name: string;
  mutations: Mutation[];
  /** The parts that are run; the others take long, or cannot tell one of these mutations from another. */
  parts: ExpectedFailure['part'][];
}

// What only the test of defaults detects is left to `npm run gate`: the other file of tests is of the same kind.
const generated = [...contractConventions, ...contractGenerated].filter(({ failures: red }) =>
  red.some(({ part }) => part !== 'test/toolchain/contract/defaults.test.ts'),
);

const keyOf = ({ part, report: says }: ExpectedFailure) => `${part}: ${says}`;
const expectedOfGenerated = new Set(generated.flatMap(({ failures: red }) => red.map(keyOf)));

/** Mistakes in code whose reports differ from those of changes of the contract; the others are left to `npm run gate`. */
const otherMistakes = code.filter(
  ({ name, failures: red }) =>
    // A changed contract adds an operation that the same file lacks a handler for.
    name !== 'lose a handler' && !red.some((one) => expectedOfGenerated.has(keyOf(one))),
);

/** What the test suite tries of every kind. Within a group, no two mutations are recognised by the same words. */
export const groups: Group[] = [
  {
    name: 'changes of the contract that are generated, and mistakes in code',
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
    name: 'faults of the contract',
    // Of a document of another version, nothing else is told.
    mutations: contractFaults.filter(({ name }) => name !== 'emit another version of OpenAPI'),
    parts: ['contract'],
  },
  { name: 'edits of generated files', mutations: generatedByHand, parts: ['drift'] },
];

/** Tried by the test suite one by one, one of each kind: what a step, a test of the server runtime and one of the service see. */
export const SPREAD = [
  'rename a field of a response in the contract only',
  'answer JSON as plain text',
  'let everybody create teams',
];

/** The one that the test suite has a conformance run find: the others take as long, ten seconds each. */
export const CONFORMING = 'skip an item between two pages of a list';
