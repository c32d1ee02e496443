import type { Queries } from '../database/database.ts';
import { readJson } from '../database/json.ts';
import { levelOfScopes } from './installation-scopes.ts';
import type { Role } from './levels.ts';

/** Prefix of the IDs of installations, which no user has. */
export const INSTALLATION_PREFIX = 'ins';

/** What an installation may do in its organization. */
export interface InstallationRights {
  id: string;
  /** Level on the spaces that it applies to. */
  level: Role | undefined;
  /** Whether it applies only to the spaces that it is installed on. */
  isLimited: boolean;
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
    .select(['integrations.scopes', 'installations.spaceSelection'])
    .where('installations.id', '=', id)
    .where('installations.organization', '=', organization)
    .where('installations.paused', '=', 0)
    .executeTakeFirst();
  return (
    row && { id, level: levelOfScopes(readJson(row.scopes)), isLimited: row.spaceSelection === 'selected' }
  );
}

/** Finds the spaces that an installation applies to among some spaces of its organization. */
export async function findInstalledSpaces(
  queries: Queries,
  { id, isLimited }: InstallationRights,
  spaces: readonly string[],
): Promise<readonly string[]> {
  if (!isLimited || spaces.length === 0) {
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
