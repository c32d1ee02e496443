import { isIP } from 'node:net';
import type { components } from '../../../generated/schema.d.ts';
import { badField, conflict } from '../../contract/errors.ts';
import type { Transaction } from '../../database/database.ts';
import { jobKind } from '../../jobs/queue.ts';
import { spaceFor } from '../../models/space/queries.ts';
import { isAddressAllowed } from '../../outgoing/addresses.ts';
import { sealingKey, sealSecret, splitCredentials } from '../../outgoing/credentials.ts';
import { OutgoingError } from '../../outgoing/errors.ts';
import type { Services } from '../slice.ts';

/** A request to import, as the queue keeps it: the address sealed, for it may hold credentials. */
export interface GitImportPayload extends Omit<components['schemas']['GitImport'], 'url'> {
  space: string;
  /** The address with its credentials, sealed for this space. */
  sealedURL: string;
  /** Who asked for it. */
  user: string;
}

/** Reads the content of a space from a Git repository. */
export const gitImport = jobKind<GitImportPayload>('git-import');

/** What a sealed address of a space is bound to. */
export const sealContext = (space: string) => `git ${space}`;

/**
 * Leaves an import to the background. Imports of a space run one at a time, in the order of their
 * `timestamp`s.
 *
 * @throws ContractError 400 for an address that must not be called, 409 for a locked space
 */
export async function requestImport(
  trx: Transaction,
  { clock, queue, secretKey, outgoing }: Services,
  user: string,
  id: string,
  { url, ...body }: components['schemas']['GitImport'],
): Promise<void> {
  const { row } = await spaceFor(trx, user, id, 'triggerGitSync');
  if (row.editMode === 'locked')
    throw conflict('The space is locked: set its editMode to live before importing into it.');
  const host = hostOf(url);
  if (isIP(host) && !isAddressAllowed(host, outgoing.allow))
    throw badField('url', 'names an address that this server does not call; ask who runs it to allow it');
  const timestamp = body.timestamp ?? clock().toISOString();
  await queue.enqueue(trx, {
    kind: gitImport,
    organization: row.organization,
    key: `space ${id}`,
    orderKey: new Date(timestamp).toISOString(),
    maxAttempts: 3,
    payload: {
      ...body,
      timestamp: new Date(timestamp).toISOString(),
      space: id,
      sealedURL: sealSecret(url, sealingKey(secretKey), sealContext(id)),
      user,
    },
  });
}

/** The host of an address, an IPv6 one without its brackets. */
function hostOf(url: string): string {
  try {
    return splitCredentials(url).url.hostname.replace(/^\[|\]$/g, '');
  } catch (error) {
    if (error instanceof OutgoingError) throw badField('url', `cannot be used: ${error.message}`);
    throw error;
  }
}
