import type { components } from '../../../../generated/schema.d.ts';
import { openBranch } from '../../../content/branch.ts';
import { AT_ROOT } from '../../../content/links/address.ts';
import { resolveReferences } from '../../../content/links/page-references.ts';
import { Documents, documentText } from '../../../content/threads/documents.ts';
import { JsonBytes } from '../../../contract/response/json.ts';
import { presentUser } from '../../accounts/users/present.ts';
import { readUsers, type UserById } from '../../accounts/users/queries.ts';
import type { Context } from '../../kit/slice.ts';
import type { BranchWithAccess } from '../content-branches/queries.ts';
import { type ReferenceContext, referenceScope } from '../references/scope.ts';
import { readTargets } from './present/targets.ts';
import { commentPermissions } from './queries/permissions.ts';
import { readRepliers } from './queries/repliers.ts';
import type { CommentRow, StoredComment } from './queries.ts';
import type { BranchComment, BranchReply } from './rules.ts';

type Schemas = components['schemas'];

/** Services that presenting comments requires. */
type PresentServices = Pick<Context, 'database' | 'resourceUrls' | 'threads'> & ReferenceContext;

/** Requested format of texts; markdown by default. */
type Format = Schemas['TextFormat'] | undefined;

/** Presents comments on a content branch. The number of queries does not depend on the number of comments. */
export async function presentComments(
  services: PresentServices,
  branch: BranchWithAccess,
  rows: readonly CommentRow[],
  format: Format,
): Promise<Schemas['Comment'][]> {
  const repliers = await readRepliers(services.database.query, rows);
  const users = [...usersOf(rows), ...[...repliers.values()].flat().map(({ user }) => user)];
  const [userById, reactions, bodyOf, targetOf] = await Promise.all([
    readUsers(services, users),
    readReactions(services, rows),
    readBodies(services, branch, rows, format),
    readTargets(services, branch, rows),
  ]);
  return rows.map((row): Schemas['Comment'] => {
    const { reply, ...permissions } = permissionsOf(row, branch);
    const fields = {
      object: 'comment' as const,
      ...presentCommon(row, { userById, reactions, bodyOf }),
      replies: row.replies,
      repliers: (repliers.get(row.id) ?? []).map(({ user, count, updatedAt }) => ({
        user: userById(user),
        count,
        updatedAt,
      })),
      target: targetOf(row),
      urls: services.resourceUrls.comment(row),
      permissions: { ...permissions, reply },
    };
    const { status, resolvedAt, resolvedBy } = row;
    return status === 'resolved' && resolvedAt !== null && resolvedBy !== null
      ? { ...fields, status, resolvedAt, resolvedBy: userById(resolvedBy) }
      : { ...fields, status: 'open' };
  });
}

/** Presents a comment. */
export async function presentComment(
  services: PresentServices,
  { branch, row }: BranchComment,
  format?: Format,
): Promise<Schemas['Comment']> {
  return only(await presentComments(services, branch, [row], format));
}

/** Presents replies to a comment on a content branch. Replies cannot be replied to. */
export async function presentReplies(
  services: PresentServices,
  branch: BranchWithAccess,
  rows: readonly StoredComment[],
  format: Format,
): Promise<Schemas['CommentReply'][]> {
  const [userById, reactions, bodyOf] = await Promise.all([
    readUsers(services, usersOf(rows)),
    readReactions(services, rows),
    readBodies(services, branch, rows, format),
  ]);
  return rows.map((row) => {
    const { reply: _, ...permissions } = permissionsOf(row, branch);
    return {
      object: 'comment-reply',
      ...presentCommon(row, { userById, reactions, bodyOf }),
      urls: services.resourceUrls.comment(row),
      permissions,
    };
  });
}

/** Presents a reply. */
export async function presentReply(
  services: PresentServices,
  { branch, row }: BranchReply,
  format?: Format,
): Promise<Schemas['CommentReply']> {
  return only(await presentReplies(services, branch, [row], format));
}

/** Returns the only item of a list. */
function only<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined) {
    throw new Error('The presented row is missing.');
  }
  return item;
}

/** Returns the users who posted or resolved some comments. */
const usersOf = (rows: readonly StoredComment[]) =>
  rows.flatMap(({ postedBy, resolvedBy }) => [postedBy, resolvedBy]);

type Reactions = (row: StoredComment) => Schemas['Reaction'][];
type Bodies = (row: StoredComment) => Schemas['CommentBody'];

function presentCommon(
  row: StoredComment,
  { userById, reactions, bodyOf }: { userById: UserById; reactions: Reactions; bodyOf: Bodies },
) {
  return {
    id: row.id,
    postedBy: userById(row.postedBy),
    postedAt: row.postedAt,
    ...(row.editedAt !== null && { editedAt: row.editedAt }),
    reactions: reactions(row),
    body: bodyOf(row),
  };
}

function permissionsOf(
  row: StoredComment,
  branch: BranchWithAccess,
): Required<Schemas['CommentPermissions']> {
  const { view, edit, reply, delete: remove } = commentPermissions(row, branch);
  return { view, edit, reply, delete: remove };
}

/** Reads the bodies in the requested format, one at a time so that a list does not fill the queue of the threads. */
async function readBodies(
  services: PresentServices,
  branch: BranchWithAccess,
  rows: readonly StoredComment[],
  format: Format,
): Promise<Bodies> {
  if (format !== 'document') {
    return ({ body }) => ({ markdown: body });
  }
  const { space } = branch;
  const documents = new Documents(services.threads, space.organization);
  const { content } = await openBranch(services.database.query, branch);
  const scope = { ...referenceScope(services, space), content, from: AT_ROOT };
  const written = new Set<string>();
  for (const { body } of rows) {
    for (const destination of await documents.listDestinations(documentText(body))) {
      written.add(destination);
    }
  }
  const resolved = await resolveReferences([...written], scope);
  const references = new Map(resolved.map(({ written, ref }) => [written, ref]));
  const bodies = new Map<string, Schemas['CommentBody']>();
  for (const { id, body } of rows) {
    const document = await documents.read(documentText(body), undefined, references);
    bodies.set(id, { document: JsonBytes.of<Schemas['Document']>(document) });
  }
  return ({ id, body }) => bodies.get(id) ?? { markdown: body };
}

/** Reads the reactions to the given comments; emoji and users are in the order of the reactions. */
async function readReactions(
  { database, resourceUrls }: PresentServices,
  comments: readonly StoredComment[],
): Promise<Reactions> {
  const rows = await database.query
    .selectFrom('commentReactions')
    .innerJoin('users', 'users.id', 'commentReactions.user')
    .selectAll('users')
    .select(['commentReactions.comment', 'commentReactions.emoji', 'commentReactions.reactedAt'])
    .where(
      'commentReactions.comment',
      'in',
      comments.map(({ id }) => id),
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
      users: users.map((user) => ({ user: presentUser(user, resourceUrls), reactedAt: user.reactedAt })),
    }));
}
