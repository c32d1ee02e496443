/** The sessions of visitors: their tokens are on the server, because browsers drop cookies of more than 4 kB. */
import { createHmac, hkdfSync } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { Database, Queries } from '../../../database/database.ts';
import { hashToken } from '../../../identity/tokens.ts';
import { openSecret, sealingKey, sealSecret } from '../../../outgoing/credentials.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import { identifyVisitor, type VisitorServices } from './admit.ts';

/** Maximum number of sessions of the visitors of a site. Those that end first are replaced. */
export const MAX_VISITOR_SESSIONS_PER_SITE = 20_000;
/** Number of sessions that one statement deletes, so that other writers do not wait long. */
const PRUNE_BATCH_SIZE = 500;

/** Format of secrets: 256 bits in base64url. */
const SECRET = /^[\w-]{43}$/;

/** A session, with the secret that only its cookie contains. */
export interface VisitorSession {
  secret: string;
  expiresAt: Date;
}

/**
 * Creates the session of a visitor with a token that is valid for a site. The same token has the same session.
 *
 * @param previous secret of a session in the same browser, which is deleted; any text
 * @returns undefined if the token is not valid
 */
export async function createVisitorSession(
  services: VisitorServices,
  site: SiteRow,
  token: string,
  previous: string | undefined,
): Promise<VisitorSession | undefined> {
  const { query: queries } = services.database;
  if (!(await identifyVisitor(services, site, token))) {
    return undefined;
  }
  const secret = secretOf(services.secretKey, site, token);
  const expiresAt = new Date((decodeJwt(token).exp ?? 0) * 1000);
  const hash = hashToken(secret);
  if (previous !== undefined && previous !== secret) {
    await deleteVisitorSession(queries, site, previous);
  }
  const existing = await queries
    .selectFrom('visitorSessions')
    .select('hash')
    .where('hash', '=', hash)
    .executeTakeFirst();
  if (!existing) {
    const sealed = sealSecret(token, sealingKey(services.secretKey), contextOf(hash));
    await queries
      .insertInto('visitorSessions')
      .values({
        hash,
        organization: site.organization,
        site: site.id,
        token: sealed,
        expiresAt: expiresAt.toISOString(),
      })
      .onConflict((conflict) => conflict.column('hash').doNothing())
      .execute();
    await limitSessions(services.database, site);
  }
  return { secret, expiresAt };
}

/**
 * Deletes a session of a site.
 *
 * @param secret any text
 */
export async function deleteVisitorSession(
  queries: Queries,
  { id }: Pick<SiteRow, 'id'>,
  secret: string,
): Promise<void> {
  await queries
    .deleteFrom('visitorSessions')
    .where('hash', '=', hashToken(secret))
    .where('site', '=', id)
    .execute();
}

/**
 * Finds the token of a session of a site. It may have become invalid since, such as with the key of the site.
 *
 * @param secret any text
 * @returns undefined if the session does not exist
 */
export async function findSessionToken(
  { database, secretKey }: Pick<VisitorServices, 'database' | 'secretKey'>,
  site: SiteRow,
  secret: string,
): Promise<string | undefined> {
  if (!SECRET.test(secret)) {
    return undefined;
  }
  const hash = hashToken(secret);
  const row = await database.query
    .selectFrom('visitorSessions')
    .select('token')
    .where('hash', '=', hash)
    .where('site', '=', site.id)
    .executeTakeFirst();
  const token = row && openSecret(row.token, sealingKey(secretKey), contextOf(hash));
  return token !== undefined && secretOf(secretKey, site, token) === secret ? token : undefined;
}

/** Deletes the expired sessions of all sites, in short transactions. */
export async function pruneVisitorSessions(
  database: Database,
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  for (let deleted = BigInt(PRUNE_BATCH_SIZE); deleted >= PRUNE_BATCH_SIZE; ) {
    signal?.throwIfAborted();
    const result = await database.query
      .deleteFrom('visitorSessions')
      .where('hash', 'in', (session) =>
        session
          .selectFrom('visitorSessions')
          .select('hash')
          .where('expiresAt', '<=', now.toISOString())
          .limit(PRUNE_BATCH_SIZE),
      )
      .executeTakeFirstOrThrow();
    deleted = result.numDeletedRows;
  }
}

/** Deletes some of the sessions of a site beyond the maximum number. */
async function limitSessions({ query: queries }: Database, { id }: SiteRow): Promise<void> {
  await queries
    .deleteFrom('visitorSessions')
    .where('hash', 'in', (session) =>
      session
        .selectFrom('visitorSessions')
        .select('hash')
        .where('site', '=', id)
        .orderBy('expiresAt', 'desc')
        .offset(MAX_VISITOR_SESSIONS_PER_SITE)
        .limit(PRUNE_BATCH_SIZE),
    )
    .execute();
}

/**
 * Returns the secret of a token's session. The token cannot be derived from it. It depends on the key and the backend
 * of the site, so that changing either ends all sessions.
 */
function secretOf(
  secretKey: string,
  { id, signingKey, authIntegration }: Pick<SiteRow, 'id' | 'signingKey' | 'authIntegration'>,
  token: string,
): string {
  const key = new Uint8Array(hkdfSync('sha256', secretKey, '', 'colophon visitor session', 32));
  const text = JSON.stringify([id, signingKey, authIntegration, token]);
  return createHmac('sha256', key).update(text).digest('base64url');
}

const contextOf = (hash: string) => `visitor session ${hash}`;
