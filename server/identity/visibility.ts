import type { Queries } from '../database/database.ts';
import type { Membership } from './access.ts';

/*
 * What guests see, as parts of queries: they start from what was granted, so that they cost what a guest has and
 * not what the organization has. Members with a role see everything.
 */

/** Subjects of grants that one statement names. */
const SUBJECTS = 500;

/** What was granted to a member on one kind of resource, to themselves or to a team of theirs. */
function grantedTo(queries: Queries, { organization, user }: Membership, kind: 'space' | 'collection') {
  const own = queries
    .selectFrom('grants')
    .select('grants.target as id')
    .where('grants.organization', '=', organization)
    .where('grants.subjectKind', '=', 'user')
    .where('grants.subject', '=', user)
    .where('grants.targetKind', '=', kind);
  const ofTeams = queries
    .selectFrom('teamMembers')
    .innerJoin('grants', 'grants.subject', 'teamMembers.team')
    .select('grants.target as id')
    .where('teamMembers.organization', '=', organization)
    .where('teamMembers.user', '=', user)
    .where('grants.organization', '=', organization)
    .where('grants.subjectKind', '=', 'team')
    .where('grants.targetKind', '=', kind);
  // Two selects: an `or` between them would keep an engine from using the index.
  return own.union(ofTeams);
}

/** The ids of the collections that a guest sees: those granted, and all below them. */
export function collectionsSeenBy(queries: Queries, guest: Membership) {
  return queries
    .withRecursive('seen', (query) =>
      grantedTo(queries, guest, 'collection').union(
        query
          .selectFrom('seen')
          .innerJoin('collections', 'collections.parent', 'seen.id')
          .select('collections.id'),
      ),
    )
    .selectFrom('seen')
    .select('seen.id');
}

/** The ids of the spaces that a guest sees: those granted, and those in the collections that they see. */
export function spacesSeenBy(queries: Queries, guest: Membership) {
  return grantedTo(queries, guest, 'space').union(
    queries
      .selectFrom('spaces')
      .select('spaces.id')
      .where('spaces.parent', 'in', collectionsSeenBy(queries, guest)),
  );
}

/**
 * How many spaces each of some guests sees, or each of some teams gives to see, by id; those without any are
 * left out.
 *
 * @param caller counts only what this member sees too
 */
export async function countSpacesSeenBy(
  queries: Queries,
  kind: 'user' | 'team',
  subjects: readonly string[],
  caller: Membership,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (let from = 0; from < subjects.length; from += SUBJECTS) {
    const batch = subjects.slice(from, from + SUBJECTS);
    // Kysely writes `recursive` for all where the first one asks for it.
    const rows = await queries
      .withRecursive('held', () => {
        const own = queries
          .selectFrom('grants')
          .select(['grants.subject as holder', 'grants.targetKind', 'grants.target'])
          .where('grants.organization', '=', caller.organization)
          .where('grants.subjectKind', '=', kind)
          .where('grants.subject', 'in', batch);
        if (kind === 'team') return own;
        const ofTeams = queries
          .selectFrom('teamMembers')
          .innerJoin('grants', 'grants.subject', 'teamMembers.team')
          .select(['teamMembers.user as holder', 'grants.targetKind', 'grants.target'])
          .where('teamMembers.organization', '=', caller.organization)
          .where('teamMembers.user', 'in', batch)
          .where('grants.organization', '=', caller.organization)
          .where('grants.subjectKind', '=', 'team');
        return own.union(ofTeams);
      })
      .withRecursive('reached', (query) =>
        query
          .selectFrom('held')
          .select(['held.holder', 'held.target as id'])
          .where('held.targetKind', '=', 'collection')
          .union(
            query
              .selectFrom('reached')
              .innerJoin('collections', 'collections.parent', 'reached.id')
              .select(['reached.holder', 'collections.id']),
          ),
      )
      .withRecursive('seen', (query) =>
        query
          .selectFrom('held')
          .select(['held.holder', 'held.target as id'])
          .where('held.targetKind', '=', 'space')
          .union(
            query
              .selectFrom('reached')
              .innerJoin('spaces', 'spaces.parent', 'reached.id')
              .select(['reached.holder', 'spaces.id']),
          ),
      )
      .selectFrom('seen')
      .innerJoin('spaces', 'spaces.id', 'seen.id')
      .select(['seen.holder', ({ fn }) => fn.countAll<number>().as('count')])
      .where('spaces.deletedAt', 'is', null)
      .$if(caller.role === undefined, (rows) => rows.where('spaces.id', 'in', spacesSeenBy(queries, caller)))
      .groupBy('seen.holder')
      .execute();
    for (const { holder, count } of rows) counts.set(holder, count);
  }
  return counts;
}
