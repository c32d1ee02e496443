import type { Queries } from '../../../database/database.ts';
import { defineTransfer, type ImportTarget } from '../../kit/transfer/define.ts';
import {
  bytesHash,
  CREATED,
  enumeration,
  flag,
  integer,
  json,
  oneOf,
  text,
  time,
} from '../../kit/transfer/fields.ts';

/** How the integrations that an organization published travel, without the secrets of their scripts. */
export const integrationTransfer = defineTransfer('integrations', {
  columns: {
    name: text,
    version: integer,
    title: text,
    searchedText: text,
    target: enumeration('IntegrationTarget'),
    visibility: enumeration('IntegrationVisibility'),
    scopes: json('array'),
    hasBlocks: flag,
    hasContentSources: flag,
    secrets: CREATED,
    tunnelURL: CREATED,
    tunnelAll: CREATED,
    createdAt: time,
    updatedAt: time,
  },
  key: ['name'],
  isLast: true,
  // Those of the scripts are set again, and developers start their tunnels again.
  create: () => ({ secrets: null, tunnelURL: null, tunnelAll: 0 as const }),
  retain: async ({ queries }, rows) => {
    const taken = await ownersOf(
      queries,
      rows.map(({ name }) => name),
    );
    return {
      rows: rows.filter(({ name }) => !taken.has(name)),
      problems: [...taken.keys()].map(
        (name) => `The integration ${name} was omitted: the server has another one with this name.`,
      ),
    };
  },
});

/** How the versions of integrations travel. */
export const integrationVersionTransfer = defineTransfer('integrationVersions', {
  columns: {
    integration: text,
    version: integer,
    definition: json('object'),
    script: bytesHash,
    createdAt: time,
    createdBy: text,
  },
  key: ['integration', 'version'],
  isLast: true,
  retain: onlyOfOwn,
});

/** How the images of integrations travel. */
export const integrationAssetTransfer = defineTransfer('integrationAssets', {
  columns: { integration: text, version: integer, hash: bytesHash, contentType: text },
  key: ['integration', 'version', 'hash'],
  isLast: true,
  retain: onlyOfOwn,
});

/** How the values travel that integrations are filtered by. */
export const integrationTagTransfer = defineTransfer('integrationTags', {
  columns: {
    integration: text,
    kind: oneOf('category', 'scope', 'block domain'),
    value: text,
    visibility: enumeration('IntegrationVisibility'),
  },
  key: ['integration', 'kind', 'value'],
  isLast: true,
  retain: onlyOfOwn,
});

/** Omits what belongs to an integration that was omitted. */
async function onlyOfOwn<Row extends { integration: string }>(
  { queries, organization }: ImportTarget,
  rows: readonly Row[],
): Promise<{ rows: Row[] }> {
  const owners = await ownersOf(
    queries,
    rows.map(({ integration }) => integration),
  );
  return { rows: rows.filter(({ integration }) => owners.get(integration) === organization) };
}

/** Returns the organizations that published the integrations that exist, by name. */
async function ownersOf(queries: Queries, names: readonly string[]): Promise<Map<string, string>> {
  const rows = await queries
    .selectFrom('integrations')
    .select(['name', 'organization'])
    .where('name', 'in', names)
    .execute();
  return new Map(rows.map(({ name, organization }) => [name, organization]));
}
