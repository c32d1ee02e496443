import type { Queries } from '../../database/database.ts';
import type { Access } from '../../identity/access.ts';

/**
 * The spaces of an organization that a member sees: all that are not deleted; for guests, what was granted.
 *
 * @param others further accesses in the same organization: then the spaces that all of them see
 */
export function spacesVisibleTo(queries: Queries, access: Access, ...others: Access[]) {
  const bounds = [access, ...others].flatMap((one) => one.visible() ?? []);
  return queries
    .selectFrom('spaces')
    .where('spaces.organization', '=', access.organization)
    .where('spaces.deletedAt', 'is', null)
    .where((space) =>
      space.and(
        bounds.map(({ spaces, collections }) =>
          space.or([space('spaces.id', 'in', spaces), space('spaces.parent', 'in', collections)]),
        ),
      ),
    );
}

/** How many spaces a member sees. */
export async function countSpacesVisibleTo(queries: Queries, access: Access): Promise<number> {
  const { count } = await spacesVisibleTo(queries, access)
    .select((space) => space.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
