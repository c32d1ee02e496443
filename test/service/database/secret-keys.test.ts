import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replaceSecretKey, requireSecretKey } from '../../../server/app/secret-keys/secret-key.ts';
import { openDatabase } from '../../../server/database/database.ts';
import { sealConfiguration } from '../../../server/platform/integrations/installations/queries/configuration.ts';
import { sealSecrets } from '../../../server/platform/integrations/integrations/queries/secrets.ts';
import { createShareSecret } from '../../../server/platform/sites/share-links/queries/secrets.ts';
import { createSigningKey } from '../../../server/platform/sites/visitors/signing-keys.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/engines.ts';
import { fill } from '../../support/large/fill-table.ts';
import { TEMPORARY_FOLDER } from '../../support/processes/temporary.ts';
import { organizationRow } from './rows.ts';

const KEY = 'the secret key of the data, 32 characters or more';
const OTHER_KEY = 'another secret key, of 32 characters or more';
const OTHER = /^COLOPHON_SECRET_KEY is not the secret key of this database\. .*decrypted.*Set the key/;
const TIME = '2026-01-01T00:00:00.000Z';

let opened: TestDatabase;
let dataFolder: string;

beforeEach(async () => {
  opened = await openTestDatabase();
  dataFolder = await mkdtemp(join(TEMPORARY_FOLDER, 'colophon-keys-'));
});
afterEach(async () => {
  await opened.close();
  await rm(dataFolder, { recursive: true });
});

const requireKey = (secretKey: string | undefined, database = opened.db) =>
  requireSecretKey(database, { secretKey, dataFolder }, 'npm run replace');
const readSettings = () => opened.db.query.selectFrom('settings').selectAll().execute();

test('accepts the key of the first start, no other one, and does not store it', async () => {
  expect(await requireKey(KEY)).toBe(KEY);
  expect(await requireKey(KEY)).toBe(KEY);
  await expect(requireKey(OTHER_KEY)).rejects.toThrow(OTHER);
  await expect(requireKey(`${KEY} `)).rejects.toThrow(OTHER);
  const settings = JSON.stringify(await readSettings());
  expect(settings).not.toContain(KEY);
  expect(settings).not.toContain(Buffer.from(KEY).toString('hex'));
});

test('accepts one of two keys if two servers start at once with new data', async () => {
  const second = await openDatabase(opened.location, { migrated: true });
  const results = await Promise.allSettled([requireKey(KEY), requireKey(OTHER_KEY, second)]);
  await second.close();
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

/** Rows with a value that is encrypted with a key. */
const SEALED: Readonly<Record<string, (key: string) => Promise<void>>> = {
  'the signing key of a site': (key) => addSite(createSigningKey(key, 'site_a')),
  'a share link': async (key) => {
    await addSite(createSigningKey(KEY, 'site_of_another_id'));
    await fill(opened.db, 'shareLinks', 1, {
      ...{ id: 'link_a', organization: 'org_a', site: 'site_a', name: 'A', active: 1, createdAt: TIME },
      ...createShareSecret(key, 'link_a'),
    });
  },
  'secrets of an integration': (key) => addIntegration(sealSecrets({ name: 'value' }, 'docs', key)),
  'the configuration of an installation': async (key) => {
    await addIntegration(null);
    await addInstallation(sealConfiguration({ name: 'value' }, { installation: 'int_a', target: '' }, key));
  },
  'the configuration of an installation on a site': async (key) => {
    await addSite(createSigningKey(KEY, 'site_of_another_id'));
    await addIntegration(null);
    await addInstallation(null);
    const owner = { installation: 'int_a', target: 'site_a' };
    await fill(opened.db, 'contentInstallations', 1, {
      ...{ ...owner, integration: 'docs', organization: 'org_a', kind: 'site', site: 'site_a', paused: 0 },
      configuration: sealConfiguration({ name: 'value' }, owner, key),
      ...{ externalIds: '[]', createdAt: TIME, updatedAt: TIME },
    });
  },
};

const addSite = (signingKey: string) =>
  fill(opened.db, 'sites', 1, {
    ...{ id: 'site_a', organization: 'org_a', type: 'basic', title: 'A', visibility: 'public', published: 0 },
    ...{ adaptiveContent: 0, agentsContext: '', signingKey, version: 1, createdAt: TIME },
  });
const addIntegration = (secrets: string | null) =>
  fill(opened.db, 'integrations', 1, {
    ...{ name: 'docs', organization: 'org_a', version: 1, title: 'A', searchedText: 'a', target: 'all' },
    ...{ visibility: 'private', scopes: '[]', hasBlocks: 0, hasContentSources: 0, tunnelAll: 0, secrets },
    ...{ createdAt: TIME, updatedAt: TIME },
  });
const addInstallation = (configuration: string | null) =>
  fill(opened.db, 'installations', 1, {
    ...{ id: 'int_a', integration: 'docs', organization: 'org_a', paused: 0, spaceSelection: 'all' },
    ...{ siteSelection: 'all', configuration, externalIds: '[]' },
    ...{ createdAt: TIME, createdBy: 'usr_a', updatedAt: TIME },
  });

describe('data whose key is replaced', () => {
  beforeEach(async () => {
    await requireKey(KEY);
    await opened.db.query.insertInto('organizations').values(organizationRow('org_a')).execute();
  });

  test.each(Object.entries(SEALED))('with %s accepts only the new key', async (_, add) => {
    await add(KEY);
    await expect(requireKey(undefined)).rejects.toThrow(/^The secret key of this database is missing: /);
    expect(await readdir(dataFolder)).toEqual([]);
    const replaced = await replaceSecretKey(opened.db, { secretKey: OTHER_KEY, dataFolder });
    expect(Object.values(replaced).reduce((sum, count) => sum + count)).toBeGreaterThan(0);
    expect(await requireKey(OTHER_KEY)).toBe(OTHER_KEY);
    await expect(requireKey(KEY)).rejects.toThrow(OTHER);
    // Everything that is left is encrypted with the key.
    const again = await replaceSecretKey(opened.db, { secretKey: OTHER_KEY, dataFolder });
    expect(again).toEqual({ sites: 0, shareLinks: 0, integrations: 0 });
  });

  test('has no sessions of visitors', async () => {
    await addSite(createSigningKey(KEY, 'site_a'));
    const session = { hash: 'a', organization: 'org_a', site: 'site_a', token: 'sealed', expiresAt: TIME };
    await opened.db.query.insertInto('visitorSessions').values(session).execute();
    await replaceSecretKey(opened.db, { secretKey: OTHER_KEY, dataFolder });
    expect(await opened.db.query.selectFrom('visitorSessions').selectAll().execute()).toEqual([]);
  });
});

describe('the key in the data folder', () => {
  const file = () => join(dataFolder, 'secret-key');

  test('is created with new data, and required from then on', async () => {
    const key = await requireKey(undefined);
    expect(await readFile(file(), 'utf8')).toBe(key);
    expect(await requireKey(undefined)).toBe(key);
    expect(await readdir(dataFolder)).toEqual(['secret-key']);

    await rm(file());
    await expect(requireKey(undefined)).rejects.toThrow(
      `The secret key of this database is missing: ${file()} does not exist. Credentials that the database stores ` +
        'cannot be decrypted without it. Restore the file from a backup of the data folder, or set ' +
        'COLOPHON_SECRET_KEY to the key. If the key is lost, replace it: npm run replace.',
    );
    expect(await readdir(dataFolder)).toEqual([]);
    expect(await requireKey(key)).toBe(key);

    await replaceSecretKey(opened.db, { secretKey: undefined, dataFolder });
    const replacement = await readFile(file(), 'utf8');
    expect(replacement).not.toBe(key);
    expect(await requireKey(undefined)).toBe(replacement);

    await writeFile(file(), OTHER_KEY);
    await expect(requireKey(undefined)).rejects.toThrow(
      `The key in ${file()} is not the secret key of this database.`,
    );
  });

  test('is used if the server was killed after creating it', async () => {
    await writeFile(file(), KEY);
    await writeFile(`${file()}.0123456789ab`, KEY.slice(0, 10));
    expect(await requireKey(undefined)).toBe(KEY);
    await expect(requireKey(OTHER_KEY)).rejects.toThrow(OTHER);
  });

  test('is the same for servers that create it at once', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => requireKey(undefined)));
    expect(new Set(keys).size).toBe(1);
  });
});
