import { randomBytes } from 'node:crypto';
import type { Queries, Transaction } from '../database/database.ts';
import { type CallerId, callerIdOf } from './caller.ts';
import { isActiveMember } from './membership.ts';
import { hashToken } from './tokens.ts';

/** Name of the cookie with the secret of a session. */
export const SESSION_COOKIE = 'colophon_session';

/** Maximum time that a member stays signed in. */
export const SESSION_LIFETIME_MS = 43_200_000;
/** Expired sessions deleted by each sign-in. */
export const MAX_DELETED_SESSIONS = 100;

/** Format of secrets: 256 random bits in base64url. */
const SECRET = /^[\w-]{43}$/;

/** The member that a session belongs to. The session grants no access to other organizations of the user. */
export interface Session {
  user: CallerId;
  organization: string;
}

/** A new session, with the secret that only its cookie contains. */
export interface CreatedSession {
  secret: string;
  expiresAt: Date;
}

/**
 * Creates a session of a member. It also ends if the member is removed or the provider is deleted.
 *
 * @param session `endsAt` is an earlier end than that of {@link SESSION_LIFETIME_MS}
 */
export async function createSession(
  trx: Transaction,
  session: {
    user: string;
    organization: string;
    samlProvider: string;
    now: Date;
    endsAt?: Date | undefined;
  },
): Promise<CreatedSession> {
  const { user, organization, samlProvider, now, endsAt } = session;
  const secret = randomBytes(32).toString('base64url');
  const latest = new Date(now.getTime() + SESSION_LIFETIME_MS);
  const expiresAt = endsAt && endsAt < latest ? endsAt : latest;
  await trx
    .insertInto('sessions')
    .values({
      hash: hashToken(secret),
      user,
      organization,
      samlProvider,
      createdAt: now.toISOString(),
      expiresAt: expiresAt.toISOString(),
    })
    .execute();
  return { secret, expiresAt };
}

/**
 * Finds the session of a secret, which may be any text.
 *
 * @returns undefined if it does not exist, has expired, or its member may not use the organization, such as a disabled
 *   one
 */
export async function findSession(queries: Queries, secret: string, now: Date): Promise<Session | undefined> {
  if (!SECRET.test(secret)) {
    return undefined;
  }
  const row = await queries
    .selectFrom('sessions')
    .innerJoin('members', (join) =>
      join
        .onRef('members.organization', '=', 'sessions.organization')
        .onRef('members.user', '=', 'sessions.user'),
    )
    .innerJoin('organizations', 'organizations.id', 'sessions.organization')
    .select(['sessions.user', 'sessions.organization'])
    .where('sessions.hash', '=', hashToken(secret))
    .where('sessions.expiresAt', '>', now.toISOString())
    .where(isActiveMember)
    .executeTakeFirst();
  return row && { user: callerIdOf(row.user), organization: row.organization };
}

/** Ends the session of a secret, which may be any text. */
export async function deleteSession(queries: Queries, secret: string): Promise<void> {
  await queries.deleteFrom('sessions').where('hash', '=', hashToken(secret)).execute();
}

/** Deletes some of the expired sessions. */
export async function pruneSessions(queries: Queries, now: Date): Promise<void> {
  await queries
    .deleteFrom('sessions')
    .where('hash', 'in', (session) =>
      session
        .selectFrom('sessions')
        .select('hash')
        .where('expiresAt', '<=', now.toISOString())
        .orderBy('expiresAt')
        .limit(MAX_DELETED_SESSIONS),
    )
    .execute();
}
