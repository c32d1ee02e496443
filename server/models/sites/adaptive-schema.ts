import { readJson } from '../../database/json.ts';
import type { StoredAdaptiveSchema } from '../../database/schema/sites.ts';
import type { SiteRow } from './structure.ts';

/** Names of the claims that conditions on a site can use, with their descriptions. */
export interface DeclaredClaims {
  signed: ReadonlyMap<string, string>;
  unsigned: ReadonlyMap<string, string>;
}

/** Maximum number of signed claims, and of unsigned claims, of a site. */
export const MAX_CLAIMS = 100;

/** Maximum length of the name of a claim in characters. */
export const MAX_CLAIM_NAME_CHARACTERS = 64;

/** Name of the object that contains the unsigned claims. */
export const UNSIGNED = 'unsigned';

const CLAIM_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Returns the problem of a name of a claim; undefined if it is valid. Names of members of every object are reserved. */
export function problemOfClaimName(name: string): string | undefined {
  if (name.length > MAX_CLAIM_NAME_CHARACTERS || !CLAIM_NAME.test(name)) {
    return `must consist of at most ${MAX_CLAIM_NAME_CHARACTERS} letters, digits, hyphens and underscores, and must not start with a digit or a hyphen`;
  }
  return name in Object.prototype ? 'is reserved' : undefined;
}

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
