import type { Flag, JsonText } from '../../json.ts';

/** An installation of an integration in an organization. Its user, with the same ID, is the author of its changes. */
export interface InstallationsTable {
  id: string;
  integration: string;
  /** Has at most one installation of the integration. */
  organization: string;
  paused: Flag;
  spaceSelection: 'all' | 'selected';
  siteSelection: 'all' | 'selected';
  /** Values of the settings by name as JSON, sealed; null if there are none. */
  configuration: string | null;
  externalIds: JsonText<string[]>;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
}

/** An installation on a space or a site. */
export interface ContentInstallationsTable {
  installation: string;
  integration: string;
  organization: string;
  kind: 'space' | 'site';
  /** ID of the space or site. */
  target: string;
  /** The same ID, in the column of its kind. */
  space: string | null;
  site: string | null;
  paused: Flag;
  /** Values of the settings by name as JSON, sealed; null if there are none. */
  configuration: string | null;
  externalIds: JsonText<string[]>;
  createdAt: string;
  updatedAt: string;
}

/** An external ID of an installation, or of an installation on a space or site. */
export interface InstallationExternalIdsTable {
  installation: string;
  integration: string;
  organization: string;
  /** ID of the space or site; empty for the installation itself. */
  target: string;
  externalId: string;
}
