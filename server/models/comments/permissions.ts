import { permissionMissing, settlingNotPermitted } from '../../errors.ts';
import type { Access } from '../../identity/access.ts';
import { spacePermissions } from '../../identity/permissions.ts';

/** What a caller may do with a comment or a reply: what `permissions` says of it, and what guards operations. */
export interface CommentPermissions {
  view: boolean;
  /** Change its text. */
  edit: boolean;
  delete: boolean;
  reply: boolean;
  /** React to it, and take one's reactions back. */
  react: boolean;
  /** Settle it, and open it again. */
  settle: boolean;
}

/** Who asks, and for comments on which space. */
export interface CommentAccess {
  access: Access;
  space: Parameters<Access['onSpace']>[0];
}

/**
 * What the caller may do with a comment or a reply. Who may comment may change and delete their own; admins of
 * the space may do so to all; settling is up to the author and to editors.
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
    settle: isOwn || edit,
  };
}

/** @throws ContractError 403 without the permission */
export function requireOnComment(
  said: { postedBy: string },
  access: CommentAccess,
  permission: keyof CommentPermissions,
): void {
  if (commentPermissions(said, access)[permission]) return;
  switch (permission) {
    case 'reply':
    case 'react':
      throw permissionMissing('space', 'comment');
    case 'settle':
      throw settlingNotPermitted();
    default:
      throw permissionMissing('comment', permission);
  }
}
