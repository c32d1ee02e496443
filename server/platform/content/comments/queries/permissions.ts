import { permissionMissing, resolvingNotPermitted } from '../../../../errors/errors.ts';
import type { Access, AccessResource } from '../../../../identity/access.ts';
import { spacePermissions } from '../../../../identity/permissions.ts';

/** Permissions of a caller on a comment or a reply, which `permissions` reports and operations enforce. */
export interface CommentPermissions {
  view: boolean;
  /** Change its text. */
  edit: boolean;
  delete: boolean;
  reply: boolean;
  /** Add reactions, and remove own reactions. */
  react: boolean;
  /** Resolve and reopen it. */
  resolve: boolean;
}

/** The caller's access, and the space of the comments. */
export interface CommentAccess {
  access: Access;
  space: AccessResource;
}

/**
 * Returns the caller's permissions on a comment or a reply. Users who can comment can edit and delete their own
 * comments, admins of the space all comments. The author and editors can resolve and reopen.
 */
export function commentPermissions(
  { postedBy }: { postedBy: string },
  { access, space }: CommentAccess,
): CommentPermissions {
  const { view, comment, edit, admin } = spacePermissions(access.onSpace(space));
  const isOwn = comment && postedBy === access.user;
  return {
    view,
    edit: isOwn || admin,
    delete: isOwn || admin,
    reply: comment,
    react: comment,
    resolve: isOwn || edit,
  };
}

/**
 * Requires a permission on a comment or a reply.
 *
 * @throws ContractError 403 without the permission
 */
export function requireOnComment(
  comment: { postedBy: string },
  access: CommentAccess,
  permission: keyof CommentPermissions,
): void {
  if (commentPermissions(comment, access)[permission]) {
    return;
  }
  switch (permission) {
    case 'reply':
    case 'react':
      throw permissionMissing('space', 'comment');
    case 'resolve':
      throw resolvingNotPermitted();
    default:
      throw permissionMissing('comment', permission);
  }
}
