import { sql } from 'kysely';
import type { Queries } from '../database/database.ts';
import type { Membership } from './access.ts';
import type { Role } from './levels.ts';

/*
 * What guests see, as parts of queries: they start from what was granted, so that they cost what a guest has and
 * not what the organization has. Members with a role see everything.
 */

/** Subjects of grants that one statement names. */
const SUBJECTS = 500;

/** What was granted to a member on one kind of resource, to themselves or to a team of theirs. */
function grantedTo(
  queries: Queries,
  { organization, user }: Membership,
  kind: 'space' | 'collection',
  role?: Role,
) {
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
  if (role === undefined) return own.union(ofTeams);
  return own.where('grants.role', '=', role).union(ofTeams.where('grants.role', '=', role));
}

/** Written out, as in the conditions of indexes. */
const ADMIN_BY_DEFAULT = sql<boolean>`"defaultLevel" = 'admin'`;

/**
 * The ids of the spaces and collections that a member administers who is no admin of the organization: by a grant on
 * them or above them, or by the nearest default level.
 */
export function administeredBy(queries: Queries, member: Membership) {
  // Guests have explicit grants only.
  const hasDefaults = sql<boolean>`${sql.lit(member.role === undefined ? 0 : 1)} = 1`;
  const byDefault = (from: Queries, table: 'spaces' | 'collections') =>
    from
      .selectFrom(table)
      .select('id')
      .where('organization', '=', member.organization)
      .where(ADMIN_BY_DEFAULT)
      .where(hasDefaults);
  return queries
    .withRecursive('granted', (query) =>
      grantedTo(queries, member, 'collection', 'admin').union(
        query
          .selectFrom('granted')
          .innerJoin('collections', 'collections.parent', 'granted.id')
          .select('collections.id'),
      ),
    )
    .withRecursive('opened', (query) =>
      byDefault(queries, 'collections').union(
        query
          .selectFrom('opened')
          .innerJoin('collections', 'collections.parent', 'opened.id')
          .select('collections.id')
          .where('collections.defaultLevel', 'is', null),
      ),
    )
    .with('administered', (query) =>
      query
        .selectFrom('granted')
        .select('granted.id')
        .union(query.selectFrom('opened').select('opened.id'))
        .union(byDefault(queries, 'spaces').where('deletedAt', 'is', null))
        .union(
          query
            .selectFrom(grantedTo(queries, member, 'space', 'admin').as('own'))
            .innerJoin('spaces', 'spaces.id', 'own.id')
            .select('spaces.id')
            .where('spaces.deletedAt', 'is', null),
        )
        .union(
          query
            .selectFrom('granted')
            .innerJoin('spaces', 'spaces.parent', 'granted.id')
            .select('spaces.id')
            .where('spaces.deletedAt', 'is', null),
        )
        .union(
          query
            .selectFrom('opened')
            .innerJoin('spaces', 'spaces.parent', 'opened.id')
            .select('spaces.id')
            .where('spaces.defaultLevel', 'is', null)
            .where('spaces.deletedAt', 'is', null),
        ),
    )
    .selectFrom('administered')
    .select('administered.id');
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
    // Kysely writes `recursive` for all where the first one asks for it. Cross joins start with their first table on
    // the embedded engine, whose statistics know nothing of what a part of the query yields.
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
              .crossJoin('collections')
              .whereRef('collections.parent', '=', 'reached.id')
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
              .crossJoin('spaces')
              .whereRef('spaces.parent', '=', 'reached.id')
              .select(['reached.holder', 'spaces.id']),
          ),
      )
      .selectFrom('seen')
      .crossJoin('spaces')
      .whereRef('spaces.id', '=', 'seen.id')
      .select(['seen.holder', ({ fn }) => fn.countAll<number>().as('count')])
      .where('spaces.deletedAt', 'is', null)
      .$if(caller.role === undefined, (rows) => rows.where('spaces.id', 'in', spacesSeenBy(queries, caller)))
      .groupBy('seen.holder')
      .execute();
    for (const { holder, count } of rows) counts.set(holder, count);
  }
  return counts;
}
