import { idOf, TIME } from './fill-table.ts';

/** Columns of a space of a large organization, without its ID. */
export const spaceRow = (organization: string) => ({
  organization,
  parent: null,
  title: 'Space',
  emoji: null,
  icon: null,
  editMode: 'live',
  language: null,
  defaultLevel: null,
  position: 'V',
  createdAt: TIME,
  updatedAt: TIME,
  deletedAt: null,
  deletedBy: null,
  revision: '',
  searchedRevision: null,
  searchedEntries: null,
  git: null,
  computedSource: null,
  template: null,
});

/** Columns of a published site of a large organization, without its ID. */
export const siteRow = (organization: string) => ({
  organization,
  type: 'basic',
  title: 'Site',
  basename: null,
  proxyOrigin: null,
  visibility: 'public',
  published: 1,
  adaptiveContent: 0,
  adaptiveSchema: null,
  adaptiveSchemaUpdatedAt: null,
  agentsContext: 'included',
  customization: null,
  signingKey: '',
  fallbackURL: null,
  authIntegration: null,
  defaultSection: null,
  defaultSiteSpace: null,
  version: 1,
  createdAt: TIME,
  createdBy: null,
});

/** Columns of the installation of an integration on a space of a large organization. */
export const spaceInstallationRow = (ids: {
  installation: string;
  integration: string;
  organization: string;
}) => ({
  ...ids,
  kind: 'space',
  target: idOf('spc'),
  space: idOf('spc'),
  site: null,
  paused: 0,
  configuration: null,
  externalIds: '[]',
  createdAt: TIME,
  updatedAt: TIME,
});
