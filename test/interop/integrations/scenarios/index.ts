import { EMBEDS } from './embeds.ts';
import { GIT_HOSTS } from './git-hosts.ts';
import { OTHERS } from './others.ts';
import type { Scenario } from './scenario.ts';

const SCENARIOS: Record<string, Scenario> = { ...EMBEDS, ...GIT_HOSTS, ...OTHERS };

/** Returns the scenario of an integration; an empty one for integrations that need none. */
export const scenarioOf = (name: string): Scenario =>
  (Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined) ?? {};
