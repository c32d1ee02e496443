/* Names of the locks that serialize writers, see `Database.inTurn`. `contentLock` of content/branch.ts is another. */

/** Lock for creating resources in an organization: each is added after the last one. */
export const creationLock = (organization: string): string => `creations ${organization}`;

/** Lock for numbering the change requests of a space. */
export const numberLock = (space: string): string => `numbers ${space}`;

/** Lock for publishing and unpublishing an integration. */
export const integrationLock = (name: string): string => `integration ${name}`;

/** Lock for installing an integration on spaces and sites. */
export const installationLock = (installation: string): string => `installation ${installation}`;

/** Lock for changing a site: its settings and its structure. */
export const siteLock = (site: string): string => `site:${site}`;
