/*
 * The locks that writers take turns by, see `Database.inTurn`. Who needs two takes that of the change request
 * first.
 */

/** For the content of a space or of one of its change requests. */
export const contentLock = (branch: { space: { id: string }; changeRequest?: { id: string } }): string =>
  `content ${branch.changeRequest?.id ?? branch.space.id}`;

/** For what is created in an organization: each new resource goes behind the last one. */
export const creationLock = (organization: string): string => `creations ${organization}`;

/** For the change requests of a space, which are numbered. */
export const numberLock = (space: string): string => `numbers ${space}`;
