import type { AllHandlers } from '../platform/kit/slice.ts';
import { accountsHandlers } from './handlers/accounts.ts';
import { contentHandlers } from './handlers/content.ts';
import { integrationsHandlers } from './handlers/integrations.ts';
import { sitesHandlers } from './handlers/sites.ts';
import { spacesHandlers } from './handlers/spaces.ts';
import { translationsHandlers } from './handlers/translations.ts';

/**
 * The handlers of every operation of the contract, from a slice per group of resources. The modules of a slice are
 * loaded with the first request to one of its operations.
 */
export const handlers: AllHandlers = {
  ...accountsHandlers,
  ...spacesHandlers,
  ...contentHandlers,
  ...integrationsHandlers,
  ...translationsHandlers,
  ...sitesHandlers,
};
