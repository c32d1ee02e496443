/** A stored role. Values stay as they are when the contract renames a role. */
export type Role = 'admin' | 'create' | 'review' | 'edit' | 'comment' | 'read';
