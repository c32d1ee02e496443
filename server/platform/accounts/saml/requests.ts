import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import type { SamlRequestsTable } from '../../../database/schema/accounts/saml-sign-ins.ts';
import { hashToken } from '../../../identity/tokens.ts';

/** Time limit for completing a sign-in with a SAML provider. */
export const SAML_REQUEST_LIFETIME_MS = 600_000;
/** Expired requests, and expired assertions, deleted by each start of a sign-in. */
export const MAX_DELETED_SAML_RECORDS = 100;

/** A pending sign-in. */
export type SamlRequest = Selectable<SamlRequestsTable>;

/** A started sign-in, with the secret that only the browser and the identity provider know. */
export interface CreatedRequest {
  requestId: string;
  relayState: string;
}

/** Stores a new sign-in, and deletes some expired ones. */
export async function createRequest(
  queries: Queries,
  request: {
    provider: { id: string; organization: string };
    /** Secret in the cookie of the browser that starts the sign-in. */
    browser: string | undefined;
    returnPath: string | undefined;
    now: Date;
  },
): Promise<CreatedRequest> {
  const { provider, browser, returnPath, now } = request;
  const relayState = randomBytes(32).toString('base64url');
  // An XML ID must not start with a digit.
  const requestId = `_${randomBytes(20).toString('hex')}`;
  await queries
    .insertInto('samlRequests')
    .values({
      relayStateHash: hashToken(relayState),
      requestId,
      organization: provider.organization,
      samlProvider: provider.id,
      browserHash: browser === undefined ? null : hashToken(browser),
      returnPath: returnPath ?? null,
      createdAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + SAML_REQUEST_LIFETIME_MS).toISOString(),
    })
    .execute();
  await deleteExpired(queries, now);
  return { requestId, relayState };
}

/**
 * Finds the pending sign-in with a provider that a browser started.
 *
 * @param browser secret in the cookie of the browser
 */
export async function findRequest(
  queries: Queries,
  request: { provider: string; relayState: string; browser: string | undefined; now: Date },
): Promise<SamlRequest | undefined> {
  const { provider, relayState, browser, now } = request;
  const row = await queries
    .selectFrom('samlRequests')
    .selectAll()
    .where('relayStateHash', '=', hashToken(relayState))
    .where('samlProvider', '=', provider)
    .where('expiresAt', '>', now.toISOString())
    .executeTakeFirst();
  const isOfBrowser =
    row && (row.browserHash === null || (browser !== undefined && row.browserHash === hashToken(browser)));
  return isOfBrowser ? row : undefined;
}

async function deleteExpired(queries: Queries, now: Date): Promise<void> {
  await queries
    .deleteFrom('samlRequests')
    .where('relayStateHash', 'in', (request) =>
      request
        .selectFrom('samlRequests')
        .select('relayStateHash')
        .where('expiresAt', '<=', now.toISOString())
        .orderBy('expiresAt')
        .limit(MAX_DELETED_SAML_RECORDS),
    )
    .execute();
  await queries
    .deleteFrom('samlAssertions')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('samlProvider', 'assertionHash'),
        'in',
        selectFrom('samlAssertions')
          .select(['samlProvider', 'assertionHash'])
          .where('expiresAt', '<=', now.toISOString())
          .orderBy('expiresAt')
          .limit(MAX_DELETED_SAML_RECORDS)
          .$asTuple('samlProvider', 'assertionHash'),
      ),
    )
    .execute();
}
