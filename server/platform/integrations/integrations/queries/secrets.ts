import type { Queries } from '../../../../database/database.ts';
import { openSecret, sealingKey, sealSecret } from '../../../../outgoing/credentials.ts';

const contextOf = (integration: string) => `secrets of integration ${integration}`;

/** Encrypts the secrets of an integration for storage. */
export const sealSecrets = (
  secrets: Record<string, string>,
  integration: string,
  secretKey: string,
): string => sealSecret(JSON.stringify(secrets), sealingKey(secretKey), contextOf(integration));

/** Reads the secrets of an integration, for its script alone. No operation returns them. */
export async function readSecrets(
  queries: Queries,
  integration: string,
  secretKey: string,
): Promise<Record<string, string>> {
  const row = await queries
    .selectFrom('integrations')
    .select('secrets')
    .where('name', '=', integration)
    .executeTakeFirst();
  return openSecrets(row?.secrets ?? null, integration, secretKey);
}

/** Decrypts the stored secrets of an integration. */
export const openSecrets = (
  sealed: string | null,
  integration: string,
  secretKey: string,
): Record<string, string> =>
  sealed === null || sealed === ''
    ? {}
    : // Sealed by sealSecrets.
      (JSON.parse(openSecret(sealed, sealingKey(secretKey), contextOf(integration))) as Record<
        string,
        string
      >);
