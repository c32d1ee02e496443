import type { components } from '../../../../generated/schema.d.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import { claimsOf, expressionOf } from './queries.ts';
import type { AdaptiveSchema } from './rules.ts';

type Schemas = components['schemas'];

/** Converts the adaptive schema of a site to its representation. */
export const presentAdaptiveSchema = (schema: AdaptiveSchema): Schemas['SiteAdaptiveSchema'] => ({
  object: 'site-adaptive-schema',
  ...schema,
});

/** Returns two conditions for each claim of a site: that it is set, and that it is not. */
export function presentConditionTemplates(site: SiteRow): Schemas['AdaptiveConditionTemplate'][] {
  const claims = claimsOf(site);
  return [
    ...templatesOf(claims?.signed ?? new Map(), false),
    ...templatesOf(claims?.unsigned ?? new Map(), true),
  ];
}

function templatesOf(claims: ReadonlyMap<string, string>, isUnsigned: boolean) {
  return [...claims].flatMap(([name, description]) => {
    const title = isUnsigned ? `Unsigned claim ${name}` : `Claim ${name}`;
    const expression = expressionOf(name, isUnsigned);
    return [
      { description: `${title} is set: ${description}`, condition: expression },
      { description: `${title} is not set: ${description}`, condition: `!${expression}` },
    ];
  });
}
