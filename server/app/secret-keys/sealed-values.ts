import type { Transaction } from '../../database/database.ts';
import { openConfiguration } from '../../platform/integrations/installations/queries/configuration.ts';
import { openSecrets } from '../../platform/integrations/integrations/queries/secrets.ts';
import { createShareSecret, openShareSecret } from '../../platform/sites/share-links/queries/secrets.ts';
import { createSigningKey, openSigningKey } from '../../platform/sites/visitors/signing-keys.ts';

/*
 * Values that are encrypted with the secret key and stored for an unlimited time.
 */

/** Decrypts a value; throws if its key is another one. */
type Open = (secretKey: string) => unknown;

function isOpenedBy(open: Open, secretKey: string): boolean {
  try {
    open(secretKey);
    return true;
  } catch {
    return false;
  }
}

/** Numbers of replaced and deleted values. */
export interface ReplacedValues {
  sites: number;
  shareLinks: number;
  integrations: number;
}

/**
 * Replaces what a lost key encrypted: creates the keys of sites and the secrets of share links anew, and deletes the
 * secrets and configurations of integrations, which must be entered again. Retains what the new key decrypts.
 */
export async function replaceSealedValues(trx: Transaction, secretKey: string): Promise<ReplacedValues> {
  const isLost = (open: Open) => !isOpenedBy(open, secretKey);
  const sites = (await trx.selectFrom('sites').select(['id', 'signingKey']).execute()).filter((row) =>
    isLost((key) => openSigningKey(key, row)),
  );
  for (const { id } of sites) {
    const signingKey = createSigningKey(secretKey, id);
    await trx.updateTable('sites').set({ signingKey }).where('id', '=', id).execute();
  }
  const shareLinks = (await trx.selectFrom('shareLinks').select(['id', 'secret']).execute()).filter((row) =>
    isLost((key) => openShareSecret(key, row)),
  );
  for (const { id } of shareLinks) {
    await trx.updateTable('shareLinks').set(createShareSecret(secretKey, id)).where('id', '=', id).execute();
  }
  const integrations = await deleteIntegrationSecrets(trx, isLost);
  // Temporary values: previous configurations in events, responses of requests, and sessions of visitors.
  for (const table of ['raisedEvents', 'integrationEvents'] as const) {
    await trx
      .updateTable(table)
      .set({ configuration: null })
      .where('configuration', 'is not', null)
      .execute();
  }
  await trx.deleteFrom('idempotencyKeys').execute();
  await trx.deleteFrom('visitorSessions').execute();
  return { sites: sites.length, shareLinks: shareLinks.length, integrations };
}

async function deleteIntegrationSecrets(trx: Transaction, isLost: (open: Open) => boolean): Promise<number> {
  const integrations = (await trx.selectFrom('integrations').select(['name', 'secrets']).execute()).filter(
    ({ name, secrets }) => isLost((key) => openSecrets(secrets, name, key)),
  );
  for (const { name } of integrations) {
    await trx.updateTable('integrations').set({ secrets: null }).where('name', '=', name).execute();
  }
  const installations = (
    await trx
      .selectFrom('installations')
      .select(['id as installation', 'configuration'])
      .where('configuration', 'is not', null)
      .execute()
  ).filter((row) => isLost((key) => openConfiguration(row.configuration, { ...row, target: '' }, key)));
  for (const { installation } of installations) {
    await trx
      .updateTable('installations')
      .set({ configuration: null })
      .where('id', '=', installation)
      .execute();
  }
  const ofContent = (
    await trx
      .selectFrom('contentInstallations')
      .select(['installation', 'target', 'configuration'])
      .where('configuration', 'is not', null)
      .execute()
  ).filter((row) => isLost((key) => openConfiguration(row.configuration, row, key)));
  for (const { installation, target } of ofContent) {
    await trx
      .updateTable('contentInstallations')
      .set({ configuration: null })
      .where('installation', '=', installation)
      .where('target', '=', target)
      .execute();
  }
  return integrations.length + installations.length + ofContent.length;
}
