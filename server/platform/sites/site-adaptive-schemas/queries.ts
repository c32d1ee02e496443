import { readJson } from '../../../database/json.ts';
import type { StoredAdaptiveSchema } from '../../../database/schema/sites/sites.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';

/** Names of the claims that conditions on a site can use, with their descriptions. */
export interface DeclaredClaims {
  signed: ReadonlyMap<string, string>;
  unsigned: ReadonlyMap<string, string>;
}

/** Maximum number of signed claims of a site; the contract limits the unsigned ones. */
export const MAX_CLAIMS = 100;

/** Name of the object that contains the unsigned claims. */
export const UNSIGNED = 'unsigned';

/** Returns whether a claim cannot have a name, because every object has a member of this name. */
export const isReserved = (name: string): boolean => name in Object.prototype;

/** Returns the claims of the adaptive schema of a site; undefined if it was never set. */
export function claimsOf({ adaptiveSchema }: Pick<SiteRow, 'adaptiveSchema'>): DeclaredClaims | undefined {
  const schema = readJson(adaptiveSchema);
  return schema === null ? undefined : declaredClaims(schema);
}

/** Returns the claims that an adaptive schema declares. */
function declaredClaims({ properties }: StoredAdaptiveSchema): DeclaredClaims {
  const unsigned = Object.hasOwn(properties, UNSIGNED) ? properties[UNSIGNED] : undefined;
  return {
    signed: descriptionsOf(properties),
    unsigned: descriptionsOf(unsigned?.type === 'object' ? unsigned.properties : {}),
  };
}

/** Returns the descriptions of boolean claims by name. */
const descriptionsOf = (claims: StoredAdaptiveSchema['properties']): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(claims).flatMap(([name, { type, description }]) =>
      type === 'boolean' ? [[name, description]] : [],
    ),
  );

/** Returns how an expression refers to a claim. */
export function expressionOf(name: string, isUnsigned: boolean): string {
  const object = isUnsigned ? `visitor.claims.${UNSIGNED}` : 'visitor.claims';
  return name.includes('-') ? `${object}["${name}"]` : `${object}.${name}`;
}
