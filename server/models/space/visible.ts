import type { Queries } from '../../database/database.ts';
import type { Access } from '../../identity/access.ts';

/** The spaces of an organization that a member sees: all that are not deleted; for guests, what was granted. */
export function spacesVisibleTo(queries: Queries, access: Access) {
  const visible = access.visible();
  return queries
    .selectFrom('spaces')
    .where('spaces.organization', '=', access.organization)
    .where('spaces.deletedAt', 'is', null)
    .$if(visible !== undefined, (spaces) =>
      spaces.where((space) =>
        space.or([
          space('spaces.id', 'in', visible?.spaces ?? []),
          space('spaces.parent', 'in', visible?.collections ?? []),
        ]),
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
