import type { Mutation, Red } from './mutation.ts';
import { code } from './mutations/code.ts';
import { contractFaults, contractManners } from './mutations/contract.ts';
import { contractGenerated } from './mutations/contract-generated.ts';
import { generatedByHand } from './mutations/files.ts';

/** Mutations that are applied to one copy at once: they do not get into each other's way. */
export interface Group {
  name: string;
  mutations: Mutation[];
  /** The parts that are run; the others take long, or cannot tell one of these mutations from another. */
  parts: Red['part'][];
}

/** What the test suite tries of every kind. Within a group, no two mutations are recognised by the same words. */
export const groups: Group[] = [
  {
    name: 'changes of the contract that are generated',
    mutations: [...contractManners, ...contractGenerated],
    parts: [
      'contract format',
      'features',
      'released',
      'types',
      'test/toolchain/contract/operations.test.ts',
      'test/toolchain/contract/defaults.test.ts',
    ],
  },
  {
    name: 'faults of the contract',
    // Of a document of another version, nothing else is told.
    mutations: contractFaults.filter(({ name }) => name !== 'emit another version of OpenAPI'),
    parts: ['contract'],
  },
  { name: 'edits of generated files', mutations: generatedByHand, parts: ['drift'] },
  { name: 'mistakes in code', mutations: code, parts: ['format', 'lint', 'types'] },
];

/** Tried by the test suite one by one, one of each kind: what a step, a test of the server runtime and one of the service see. */
export const SPREAD = [
  'rename a field of a response in the contract only',
  'answer JSON as plain text',
  'let everybody create teams',
];

/** The one that the test suite has a conformance run find: the others take as long, ten seconds each. */
export const CONFORMING = 'skip an item between two pages of a list';
