import type { Queries } from '../../database/database.ts';
import { openSecret, sealingKey, sealSecret } from '../../outgoing/credentials.ts';

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
  if (!row?.secrets) {
    return {};
  }
  // Sealed by sealSecrets.
  return JSON.parse(openSecret(row.secrets, sealingKey(secretKey), contextOf(integration))) as Record<
    string,
    string
  >;
}
