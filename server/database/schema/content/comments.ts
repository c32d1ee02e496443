/** A comment, or a reply if `parent` is set. */
export interface CommentsTable {
  id: string;
  organization: string;
  space: string;
  /** Null for the primary content of the space. */
  changeRequest: string | null;
  /** The review of the change request that it is part of. */
  review: string | null;
  /** The comment that this is a reply to. */
  parent: string | null;
  page: string | null;
  /** The key of a block of the page. */
  node: string | null;
  /** The text of that block at the time of the comment. */
  nodePreview: string | null;
  cellRecord: string | null;
  cellDefinition: string | null;
  /** The revision at the time of the comment. */
  revision: string;
  /** Markdown. */
  body: string;
  /** Always `open` for replies. */
  status: 'open' | 'resolved';
  resolvedAt: string | null;
  resolvedBy: string | null;
  postedBy: string;
  postedAt: string;
  editedAt: string | null;
}

export interface CommentReactionsTable {
  organization: string;
  comment: string;
  emoji: string;
  user: string;
  reactedAt: string;
}
