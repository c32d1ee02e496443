/* The locks by which writers take turns, see `Database.inTurn`; `contentLock` of content/branch.ts is another. */

/** For what is created in an organization: each new resource goes behind the last one. */
export const creationLock = (organization: string): string => `creations ${organization}`;

/** For the change requests of a space, which are numbered. */
export const numberLock = (space: string): string => `numbers ${space}`;
