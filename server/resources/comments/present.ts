import type { components } from '../../../generated/schema.d.ts';
import { Documents } from '../../content/threads/documents.ts';
import { JsonBytes } from '../../contract/json.ts';
import { commentPermissions } from '../../models/comments/permissions.ts';
import type { CommentRow, SaidRow } from '../../models/comments/queries.ts';
import type { FoundBranch } from '../../models/content-branches/queries.ts';
import { presentUser } from '../../models/users/present.ts';
import type { Services } from '../kit/slice.ts';
import { readTargets } from './rules/targets.ts';

type Schemas = components['schemas'];

/** What comments are read with. */
type Reading = Pick<Services, 'database' | 'addresses' | 'threads'>;

/** How a request wants texts; markdown where it does not say. */
type Format = Schemas['TextFormat'] | undefined;

/** Comments on a content branch as the contract has them, read with as many queries for a thousand as for one. */
export async function presentComments(
  services: Reading,
  branch: FoundBranch,
  rows: readonly CommentRow[],
  format: Format,
): Promise<Schemas['Comment'][]> {
  const [people, reactions, bodyOf, targetOf] = await Promise.all([
    readPeople(services, rows),
    readReactions(services, rows),
    readBodies(services, branch, rows, format),
    readTargets(services, branch, rows),
  ]);
  return rows.map((row): Schemas['Comment'] => {
    const { reply, ...permissions } = shownPermissions(row, branch);
    const fields = {
      object: 'comment' as const,
      ...presentSaid(row, { people, reactions, bodyOf }),
      replies: row.replies,
      target: targetOf(row),
      urls: services.addresses.comment(row),
      permissions: { ...permissions, reply },
    };
    const { status, resolvedAt, resolvedBy } = row;
    return status === 'resolved' && resolvedAt !== null && resolvedBy !== null
      ? { ...fields, status, resolvedAt, resolvedBy: people(resolvedBy) }
      : { ...fields, status: 'open' };
  });
}

/** Replies to a comment on a content branch as the contract has them. They cannot be replied to. */
export async function presentReplies(
  services: Reading,
  branch: FoundBranch,
  rows: readonly SaidRow[],
  format: Format,
): Promise<Schemas['CommentReply'][]> {
  const [people, reactions, bodyOf] = await Promise.all([
    readPeople(services, rows),
    readReactions(services, rows),
    readBodies(services, branch, rows, format),
  ]);
  return rows.map((row) => {
    const { reply: _, ...permissions } = shownPermissions(row, branch);
    return {
      object: 'comment-reply',
      ...presentSaid(row, { people, reactions, bodyOf }),
      urls: services.addresses.comment(row),
      permissions,
    };
  });
}

type People = (id: string) => Schemas['User'];
type Reactions = (row: SaidRow) => Schemas['Reaction'][];
type Bodies = (row: SaidRow) => Schemas['CommentBody'];

function presentSaid(
  row: SaidRow,
  { people, reactions, bodyOf }: { people: People; reactions: Reactions; bodyOf: Bodies },
) {
  return {
    id: row.id,
    postedBy: people(row.postedBy),
    postedAt: row.postedAt,
    ...(row.editedAt !== null && { editedAt: row.editedAt }),
    reactions: reactions(row),
    body: bodyOf(row),
  };
}

function shownPermissions(row: SaidRow, branch: FoundBranch): Required<Schemas['CommentPermissions']> {
  const { view, edit, reply, delete: remove } = commentPermissions(row, branch);
  return { view, edit, reply, delete: remove };
}

/** What was written, in the form that a request asks for. One after another: a list must not fill the queue. */
async function readBodies(
  { threads }: Reading,
  { space }: FoundBranch,
  rows: readonly SaidRow[],
  format: Format,
): Promise<Bodies> {
  if (format !== 'document') return ({ body }) => ({ markdown: body });
  const documents = new Documents(threads, space.organization);
  const bodies = new Map<string, Schemas['CommentBody']>();
  for (const { id, body } of rows)
    bodies.set(id, { document: JsonBytes.of<Schemas['Document']>(await documents.read(body)) });
  return ({ id, body }) => bodies.get(id) ?? { markdown: body };
}

/** Those who wrote or settled what is to be shown. */
async function readPeople({ database, addresses }: Reading, said: readonly SaidRow[]): Promise<People> {
  const ids = new Set(said.flatMap(({ postedBy, resolvedBy }) => [postedBy, resolvedBy ?? []].flat()));
  const rows = await database.query
    .selectFrom('users')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  const users = new Map(rows.map((row) => [row.id, presentUser(row, addresses)]));
  return (id) => {
    const user = users.get(id);
    if (!user) throw new Error(`A comment names the user ${id}, who does not exist.`);
    return user;
  };
}

/** The reactions to what is to be shown: emoji and users in the order in which they came. */
async function readReactions({ database, addresses }: Reading, said: readonly SaidRow[]): Promise<Reactions> {
  const rows = await database.query
    .selectFrom('commentReactions')
    .innerJoin('users', 'users.id', 'commentReactions.user')
    .selectAll('users')
    .select(['commentReactions.comment', 'commentReactions.emoji', 'commentReactions.reactedAt'])
    .where(
      'commentReactions.comment',
      'in',
      said.map(({ id }) => id),
    )
    .orderBy('commentReactions.reactedAt')
    .orderBy('commentReactions.emoji')
    .orderBy('commentReactions.user')
    .execute();
  const byComment = Map.groupBy(rows, ({ comment }) => comment);
  return ({ id }) =>
    [...Map.groupBy(byComment.get(id) ?? [], ({ emoji }) => emoji)].map(([emoji, users]) => ({
      emoji,
      count: users.length,
      users: users.map((user) => ({ user: presentUser(user, addresses), reactedAt: user.reactedAt })),
    }));
}
