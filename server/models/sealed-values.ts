import type { Queries } from '../database/database.ts';
import { openConfiguration } from './installations/configuration.ts';
import { openSecrets } from './integrations/secrets.ts';
import { openShareSecret } from './share-links/secrets.ts';
import { openSigningKey } from './sites/signing-keys.ts';

/*
 * Values that are encrypted with the secret key and stored for an unlimited time. A few of each kind are samples.
 */

/** Number of samples of each kind: rows can exist that an earlier release stored with another key by mistake. */
const SAMPLES_PER_KIND = 10;

/** Decrypts a sample; throws if its key is another one. */
type Open = (secretKey: string) => unknown;

/** Returns whether the database contains encrypted values. */
export const hasSealedValues = async (queries: Queries): Promise<boolean> =>
  (await readSamples(queries)).length > 0;

/** Returns whether a key decrypts an encrypted value, or there is none. */
export async function opensSealedValues(queries: Queries, secretKey: string): Promise<boolean> {
  const samples = await readSamples(queries);
  return samples.length === 0 || samples.some((open) => isOpenedBy(open, secretKey));
}

function isOpenedBy(open: Open, secretKey: string): boolean {
  try {
    open(secretKey);
    return true;
  } catch {
    return false;
  }
}

async function readSamples(queries: Queries): Promise<Open[]> {
  const sites = await queries
    .selectFrom('sites')
    .select(['id', 'signingKey'])
    .limit(SAMPLES_PER_KIND)
    .execute();
  const shareLinks = await queries
    .selectFrom('shareLinks')
    .select(['id', 'secret'])
    .limit(SAMPLES_PER_KIND)
    .execute();
  const integrations = await queries
    .selectFrom('integrations')
    .select(['name', 'secrets'])
    .where('secrets', 'is not', null)
    .limit(SAMPLES_PER_KIND)
    .execute();
  const installations = await queries
    .selectFrom('installations')
    .select(['id as installation', 'configuration'])
    .where('configuration', 'is not', null)
    .limit(SAMPLES_PER_KIND)
    .execute();
  const contentInstallations = await queries
    .selectFrom('contentInstallations')
    .select(['installation', 'target', 'configuration'])
    .where('configuration', 'is not', null)
    .limit(SAMPLES_PER_KIND)
    .execute();
  const configurations = [...installations.map((row) => ({ ...row, target: '' })), ...contentInstallations];
  return [
    ...sites.map(
      (row): Open =>
        (secretKey) =>
          openSigningKey(secretKey, row),
    ),
    ...shareLinks.map(
      (row): Open =>
        (secretKey) =>
          openShareSecret(secretKey, row),
    ),
    ...integrations.map(
      (row): Open =>
        (secretKey) =>
          openSecrets(row.secrets, row.name, secretKey),
    ),
    ...configurations.map(
      (row): Open =>
        (secretKey) =>
          openConfiguration(row.configuration, row, secretKey),
    ),
  ];
}
