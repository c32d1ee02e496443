import type { Kysely } from 'kysely';
import { columnTypes, index, key, optionallyOwnedBy, ownedBy, required, table } from '../columns.ts';

/** Integrations with their versions, and their installations. */
export async function createIntegrations(db: Kysely<unknown>): Promise<void> {
  await createVersions(db);
  await createInstallations(db);
}

async function createVersions(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'integrations')
    .addColumn('name', text, key)
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('version', integer, required)
    .addColumn('title', text, required)
    .addColumn('searchedText', text, required)
    .addColumn('target', text, required)
    .addColumn('visibility', text, required)
    .addColumn('scopes', text, required)
    .addColumn('hasBlocks', integer, required)
    .addColumn('hasContentSources', integer, required)
    .addColumn('secrets', text)
    .addColumn('tunnelURL', text)
    .addColumn('tunnelAll', integer, required)
    .addColumn('createdAt', text, required)
    .addColumn('updatedAt', text, required)
    .execute();
  await index(db, 'integrations', ['createdAt', 'name']);
  await index(db, 'integrations', ['organization', 'createdAt', 'name']);

  await table(db, 'integrationVersions')
    .addColumn('integration', text, ownedBy('integrations.name'))
    .addColumn('version', integer, required)
    .addColumn('organization', text, required)
    .addColumn('definition', text, required)
    .addColumn('script', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('createdBy', text, required)
    .addPrimaryKeyConstraint('integrationVersions_key', ['integration', 'version'])
    .execute();
  await index(db, 'integrationVersions', ['organization']);

  await table(db, 'integrationAssets')
    .addColumn('integration', text, ownedBy('integrations.name'))
    .addColumn('version', integer, required)
    .addColumn('organization', text, required)
    .addColumn('hash', text, required)
    .addColumn('contentType', text, required)
    .addPrimaryKeyConstraint('integrationAssets_key', ['integration', 'hash', 'version'])
    .execute();
  await index(db, 'integrationAssets', ['organization']);

  await table(db, 'integrationTags')
    .addColumn('integration', text, ownedBy('integrations.name'))
    .addColumn('organization', text, required)
    .addColumn('kind', text, required)
    .addColumn('value', text, required)
    .addPrimaryKeyConstraint('integrationTags_key', ['integration', 'kind', 'value'])
    .execute();
  await index(db, 'integrationTags', ['kind', 'value', 'integration']);
}

async function createInstallations(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);

  await table(db, 'installations')
    .addColumn('id', text, key)
    .addColumn('integration', text, ownedBy('integrations.name'))
    .addColumn('organization', text, ownedBy('organizations.id'))
    .addColumn('paused', integer, required)
    .addColumn('spaceSelection', text, required)
    .addColumn('siteSelection', text, required)
    .addColumn('configuration', text)
    .addColumn('externalIds', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('createdBy', text, required)
    .addColumn('updatedAt', text, required)
    .addUniqueConstraint('installations_organization', ['organization', 'integration'])
    .execute();
  await index(db, 'installations', ['integration', 'createdAt', 'id']);

  await table(db, 'contentInstallations')
    .addColumn('installation', text, ownedBy('installations.id'))
    .addColumn('integration', text, required)
    .addColumn('organization', text, required)
    .addColumn('kind', text, required)
    .addColumn('target', text, required)
    .addColumn('space', text, optionallyOwnedBy('spaces.id'))
    .addColumn('site', text, optionallyOwnedBy('sites.id'))
    .addColumn('paused', integer, required)
    .addColumn('configuration', text)
    .addColumn('externalIds', text, required)
    .addColumn('createdAt', text, required)
    .addColumn('updatedAt', text, required)
    .addPrimaryKeyConstraint('contentInstallations_key', ['installation', 'target'])
    .execute();
  await index(db, 'contentInstallations', ['installation', 'kind', 'createdAt', 'target']);
  await index(db, 'contentInstallations', ['integration', 'kind', 'createdAt', 'target']);
  await index(db, 'contentInstallations', ['space']);
  await index(db, 'contentInstallations', ['site']);

  await table(db, 'installationExternalIds')
    .addColumn('installation', text, ownedBy('installations.id'))
    .addColumn('integration', text, required)
    .addColumn('organization', text, required)
    .addColumn('target', text, required)
    .addColumn('externalId', text, required)
    .addPrimaryKeyConstraint('installationExternalIds_key', ['installation', 'target', 'externalId'])
    .execute();
  await index(db, 'installationExternalIds', ['integration', 'externalId']);
}
