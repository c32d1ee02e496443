import type { Mutation } from '../mutation.ts';
import { answers, permissions, requests, things } from './behaviour.ts';
import { code } from './code.ts';
import { contractAlone, contractFaults, contractGenerated, contractManners } from './contract.ts';
import { generatedByHand, records } from './files.ts';

/** Every seeded disagreement. */
export const mutations: Mutation[] = [
  ...contractAlone,
  ...contractFaults,
  ...contractManners,
  ...contractGenerated,
  ...generatedByHand,
  ...records,
  ...code,
  ...answers,
  ...requests,
  ...permissions,
  ...things,
];
