import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import { readJson } from '../database/json.ts';
import { type InstallationResource, levelOfScopes } from './installation-scopes.ts';
import type { Role } from './levels.ts';

/** Prefix of the IDs of installations, which no user has. */
export const INSTALLATION_PREFIX = 'ins';

/** What an installation may do in its organization. */
export interface InstallationRights {
  id: string;
  /** Levels on the spaces and sites that it applies to, and on the specifications of the organization. */
  levels: Readonly<Record<InstallationResource, Role | undefined>>;
  /** Whether it applies only to the spaces or sites that it is installed on. */
  isLimited: Readonly<Record<'space' | 'site', boolean>>;
}

/** Returns whether the ID of a caller is that of an installation. */
export const isInstallation = (caller: string): boolean => caller.startsWith(`${INSTALLATION_PREFIX}_`);

/** Finds the rights of an installation in an organization. Undefined in other organizations, and if it is paused. */
export async function findInstallationRights(
  queries: Queries,
  id: string,
  organization: string,
): Promise<InstallationRights | undefined> {
  const row = await queries
    .selectFrom('installations')
    .innerJoin('integrations', 'integrations.name', 'installations.integration')
    .select(['integrations.scopes', 'installations.spaceSelection', 'installations.siteSelection'])
    .where('installations.id', '=', id)
    .where('installations.organization', '=', organization)
    .where('installations.paused', '=', 0)
    .executeTakeFirst();
  if (!row) {
    return undefined;
  }
  const scopes = readJson(row.scopes);
  return {
    id,
    levels: {
      space: levelOfScopes(scopes, 'space'),
      site: levelOfScopes(scopes, 'site'),
      specification: levelOfScopes(scopes, 'specification'),
    },
    isLimited: { space: row.spaceSelection === 'selected', site: row.siteSelection === 'selected' },
  };
}

/** Condition that an installation has a level on a space or site of its organization. */
export function isInstalledOn(
  { id, levels, isLimited }: InstallationRights,
  kind: 'space' | 'site',
  target: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  if (levels[kind] === undefined || !isLimited[kind]) {
    return levels[kind] === undefined ? sql<SqlBool>`1 = 0` : sql<SqlBool>`1 = 1`;
  }
  return sql<SqlBool>`(
    select 1 from "contentInstallations"
    where "contentInstallations"."installation" = ${id} and "contentInstallations"."target" = ${target}
      and "contentInstallations"."kind" = ${sql.lit(kind)} and "contentInstallations"."paused" = 0) = 1`;
}

/** Finds the spaces that an installation applies to among some spaces of its organization. */
export async function findInstalledSpaces(
  queries: Queries,
  { id, isLimited }: InstallationRights,
  spaces: readonly string[],
): Promise<readonly string[]> {
  if (!isLimited.space || spaces.length === 0) {
    return spaces;
  }
  const rows = await queries
    .selectFrom('contentInstallations')
    .select('target')
    .where('installation', '=', id)
    .where('kind', '=', 'space')
    .where('paused', '=', 0)
    .where('target', 'in', spaces)
    .execute();
  return rows.map(({ target }) => target);
}
