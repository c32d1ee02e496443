import { type Selectable, sql } from 'kysely';
import { unauthenticated } from '../contract/errors.ts';
import type { Queries } from '../database/database.ts';
import { readJson } from '../database/json.ts';
import { selectRecentWrites } from '../database/replicas/recent-writes.ts';
import type { TokenScope } from '../database/schema/accounts/access-tokens.ts';
import type { UsersTable } from '../database/schema/accounts/users.ts';
import type { StoredIntegrationScope as IntegrationScope } from '../database/schema/integrations/integrations.ts';
import { type ParametersOf, type RowOf, statement } from '../database/statement.ts';
import { integrationOf } from './integration-accounts.ts';
import { hashToken, isWellFormedToken } from './tokens.ts';

declare const brand: unique symbol;

/** ID of the caller. Branded, so that the ID of another user cannot be passed instead. */
export type CallerId = string & { readonly [brand]: 'caller' };

/** Brands the ID of an authenticated user. */
// The brand exists in types only.
export const callerIdOf = (user: string): CallerId => user as CallerId;

/**
 * The authenticated user, installation or integration of a request. An installation of an integration has a user with
 * its ID, which is the author of its changes, and is a member of no organization: its permissions follow from its
 * scopes. The account of an integration manages all its installations, and nothing else.
 */
export interface Caller {
  id: CallerId;
  user: Selectable<UsersTable>;
  token: CallerToken;
  /** Undefined for a user and for an integration. */
  installation: CallerInstallation | undefined;
  /** Name of the integration; undefined for a user and for an installation. */
  integration: string | undefined;
  /** What a replica must have for a user to read; undefined for others, and without replicas. */
  recentWrites?: string | undefined;
}

/** The installation that an access token belongs to. */
export interface CallerInstallation {
  /** Published scopes of the integration. */
  scopes: IntegrationScope[];
}

/** The access token of a request, without its secret. */
export interface CallerToken {
  id: string;
  /** Scopes that it is limited to; null for all permissions of its user. */
  scopes: TokenScope[] | null;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

/**
 * Finds the caller by the access token.
 *
 * @param options.selectsWrites whether the recent writes of a user are also selected
 * @throws ContractError 401 if the token is unknown, expired or revoked, or its installation is paused; the error does not state which
 */
export async function authenticate(
  queries: Queries,
  bearer: string,
  now: Date,
  { selectsWrites = false } = {},
): Promise<Caller> {
  if (!isWellFormedToken(bearer)) {
    throw unknownToken();
  }
  const hash = hashToken(bearer);
  const row: FoundToken | undefined = selectsWrites
    ? await findTokenAndWrites.first(queries, { hash })
    : await findToken.first(queries, { hash });
  const integration = row && integrationOf(row.id);
  const live =
    row &&
    row.revokedAt === null &&
    row.paused !== 1 &&
    (row.expiresAt === null || row.expiresAt > now.toISOString()) &&
    (integration === undefined || (await isPublished(queries, integration)));
  if (!live) {
    throw unknownToken();
  }
  const {
    token,
    scopes,
    expiresAt,
    revokedAt: _,
    lastUsedAt,
    paused: __,
    installationScopes,
    recentWrites,
    ...user
  } = row;
  return {
    id: callerIdOf(user.id),
    user,
    token: { id: token, scopes: readJson(scopes), expiresAt, lastUsedAt },
    installation: installationScopes === null ? undefined : { scopes: readJson(installationScopes) },
    integration,
    // Integrations react to events of the primary.
    ...(installationScopes === null && integration === undefined && { recentWrites }),
  };
}

type FoundToken = RowOf<typeof findToken> & { recentWrites?: string };
type TokenHash = ParametersOf<{ hash: string }>;

/** Selects a token by its hash, with its user. */
const selectToken = (queries: Queries, { hash }: TokenHash) =>
  queries
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user')
    .leftJoin('installations', 'installations.id', 'tokens.user')
    .leftJoin('integrations', 'integrations.name', 'installations.integration')
    .selectAll('users')
    .select([
      'tokens.id as token',
      'tokens.scopes',
      'tokens.expiresAt',
      'tokens.revokedAt',
      'tokens.lastUsedAt',
      'installations.paused',
      'integrations.scopes as installationScopes',
    ])
    .where('tokens.hash', '=', hash);

const findToken = statement((queries, hash: TokenHash) => selectToken(queries, hash).compile());

const findTokenAndWrites = statement((queries, hash: TokenHash) =>
  selectToken(queries, hash)
    .select(selectRecentWrites(sql.ref('tokens.user')).as('recentWrites'))
    .compile(),
);

async function isPublished(queries: Queries, name: string): Promise<boolean> {
  const row = await queries
    .selectFrom('integrations')
    .select('name')
    .where('name', '=', name)
    .executeTakeFirst();
  return row !== undefined;
}

const unknownToken = () =>
  unauthenticated('The access token is unknown, expired or revoked. Use another one.');
