import { createHash } from 'node:crypto';
import type { Membership } from '../../../identity/membership.ts';
import { claimsOf, type DeclaredClaims, UNSIGNED } from '../site-adaptive-schemas/queries.ts';
import type { ConditionSettings, VisitorClaims } from './conditions.ts';

/** A visitor who was admitted to a site. */
export interface SiteVisitor {
  /** The claims that the adaptive schema of the site declares; none if the site has no adaptive content. */
  claims: VisitorClaims;
  /** The spaces that a guest of the organization sees; undefined for all of the site. */
  spaces?: ReadonlySet<string> | undefined;
  /** Digest of what the visitor can see. Visitors with equal keys see the same, so that caches can use it. */
  key: string;
}

/** Why a visitor is not admitted. */
export interface Refusal {
  /**
   * `not-found`: the site does not exist for the visitor; `authentication-required`: a visitor token would admit;
   * `token-rejected`: the token of the visitor has expired or is invalid.
   */
  refused: 'not-found' | 'authentication-required' | 'token-rejected';
  /** URL that visitors without a token are redirected to. */
  fallbackURL: string | null;
}

/** Query parameters of the URL of a site with a visitor token. Published integrations use the second one. */
export const TOKEN_PARAMETERS = ['visitorToken', 'jwt_token'] as const;

/** What a visitor presents. */
export interface VisitorCredentials {
  /** Secret of a share link. */
  shareKey?: string | undefined;
  /** JWT signed with a key of the site, or the claims that a ping returned to a member. */
  visitorToken?: string | undefined;
  /** Claims that the browser states about itself. */
  unsignedClaims?: Readonly<Record<string, unknown>> | undefined;
  /** Membership of a caller who can see the site, authenticated by access token or SAML session. */
  member?: Membership | undefined;
}

/**
 * Creates the visitor of a site. Only claims that the adaptive schema declares are retained, so that no other claim
 * affects what visitors see or how responses are cached.
 *
 * @param signed verified claims
 * @param unsigned claims that the browser states about itself
 * @param spaces see {@link SiteVisitor.spaces}
 */
export function visitorOf(
  site: ConditionSettings,
  signed: Readonly<Record<string, unknown>>,
  {
    unsigned = {},
    spaces,
  }: {
    unsigned?: Readonly<Record<string, unknown>> | undefined;
    spaces?: ReadonlySet<string> | undefined;
  } = {},
): SiteVisitor {
  const declared = site.adaptiveContent === 1 ? claimsOf(site) : undefined;
  const claims = declared ? retainedClaims(declared, signed, unsigned) : {};
  const visible = spaces ? [claims, [...spaces].sort()] : [claims];
  const key = createHash('sha256').update(JSON.stringify(visible)).digest('base64url');
  return { claims, spaces, key };
}

function retainedClaims(
  declared: DeclaredClaims,
  signed: Readonly<Record<string, unknown>>,
  unsigned: Readonly<Record<string, unknown>>,
): VisitorClaims {
  return {
    ...booleansOf(declared.signed, signed),
    [UNSIGNED]: booleansOf(declared.unsigned, unsigned),
  };
}

/** Returns the claims that are declared and boolean, in the order of their declaration. */
function booleansOf(
  declared: ReadonlyMap<string, string>,
  claims: Readonly<Record<string, unknown>>,
): Record<string, boolean> {
  const entries: [string, boolean][] = [];
  for (const name of declared.keys()) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (typeof value === 'boolean') {
      entries.push([name, value]);
    }
  }
  return Object.fromEntries(entries);
}

/** Returns the signed and the unsigned claims in the claims of an admitted visitor. */
export function splitClaims({ [UNSIGNED]: unsigned, ...claims }: Readonly<Record<string, unknown>>): {
  claims: Readonly<Record<string, unknown>>;
  unsigned: Readonly<Record<string, unknown>>;
} {
  return { claims, unsigned: typeof unsigned === 'object' && unsigned !== null ? { ...unsigned } : {} };
}
