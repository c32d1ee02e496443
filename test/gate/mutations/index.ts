import type { Mutation } from '../mutation.ts';
import { availability } from './availability.ts';
import { requests, responses } from './behaviour.ts';
import { permissions, resources } from './behaviour-resources.ts';
import { code } from './code.ts';
import { contractAlone, contractConventions, contractFaults } from './contract.ts';
import { contractGenerated } from './contract-generated.ts';
import { generatedByHand, records } from './files.ts';
import { integrationEvents } from './integration-events.ts';
import { repositories } from './repositories.ts';
import { sandbox } from './sandbox.ts';
import { seals } from './seals.ts';
import { siteIntegrations } from './site-integrations.ts';
import { sites } from './sites.ts';

/** Every mutation. */
export const mutations: Mutation[] = [
  ...contractAlone,
  ...contractFaults,
  ...contractConventions,
  ...contractGenerated,
  ...generatedByHand,
  ...records,
  ...code,
  ...responses,
  ...requests,
  ...permissions,
  ...resources,
  ...availability,
  ...repositories,
  ...seals,
  ...sites,
  ...siteIntegrations,
  ...integrationEvents,
  ...sandbox,
];
