import { defineTransfer, type ImportTarget } from '../../kit/transfer/define.ts';
import {
  CREATED,
  enumeration,
  flag,
  id,
  json,
  oneOf,
  optional,
  text,
  time,
} from '../../kit/transfer/fields.ts';

/**
 * How the installations of an organization travel, without their configuration, which contains secrets. They are paused,
 * because the integration with the same name can be another one.
 */
export const installationTransfer = defineTransfer('installations', {
  columns: {
    id,
    integration: text,
    paused: CREATED,
    spaceSelection: enumeration('InstallationSelection'),
    siteSelection: enumeration('InstallationSelection'),
    configuration: CREATED,
    externalIds: json('array'),
    createdAt: time,
    createdBy: text,
    updatedAt: time,
  },
  key: ['id'],
  isLast: true,
  create: () => ({ paused: 1 as const, configuration: null }),
  retain: async ({ queries, organization }, rows) => {
    const existing = await queries
      .selectFrom('integrations')
      .select('name')
      .where(
        'name',
        'in',
        rows.map(({ integration }) => integration),
      )
      .where((is) => is.or([is('visibility', '!=', 'private'), is('organization', '=', organization)]))
      .execute();
    const names = new Set(existing.map(({ name }) => name));
    return {
      rows: rows.filter(({ integration }) => names.has(integration)),
      problems: rows
        .filter(({ integration }) => !names.has(integration))
        .map(
          ({ integration }) =>
            `The installation of ${integration} was omitted: the server does not have this integration.`,
        ),
    };
  },
});

/** How the installations on spaces and sites travel, without their configuration. */
export const contentInstallationTransfer = defineTransfer('contentInstallations', {
  columns: {
    installation: text,
    integration: text,
    kind: oneOf('space', 'site'),
    target: text,
    space: optional(text),
    site: optional(text),
    paused: flag,
    configuration: CREATED,
    externalIds: json('array'),
    createdAt: time,
    updatedAt: time,
  },
  key: ['installation', 'kind', 'target'],
  isLast: true,
  create: () => ({ configuration: null }),
  retain: onlyOfExisting,
});

/** How the external IDs of installations travel. */
export const installationExternalIdTransfer = defineTransfer('installationExternalIds', {
  columns: { installation: text, integration: text, target: text, externalId: text },
  key: ['installation', 'target', 'externalId'],
  isLast: true,
  retain: onlyOfExisting,
});

/** Omits what belongs to an installation that was omitted. */
async function onlyOfExisting<Row extends { installation: string }>(
  { queries }: ImportTarget,
  rows: readonly Row[],
): Promise<{ rows: Row[] }> {
  const existing = await queries
    .selectFrom('installations')
    .select('id')
    .where(
      'id',
      'in',
      rows.map(({ installation }) => installation),
    )
    .execute();
  const ids = new Set(existing.map(({ id }) => id));
  return { rows: rows.filter(({ installation }) => ids.has(installation)) };
}
