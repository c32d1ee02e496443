import type { Mutation } from '../mutation.ts';
import { availability } from './availability.ts';
import { answers, requests } from './behaviour.ts';
import { permissions, things } from './behaviour-things.ts';
import { code } from './code.ts';
import { contractAlone, contractFaults, contractManners } from './contract.ts';
import { contractGenerated } from './contract-generated.ts';
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
  ...availability,
];
