import type { Generated } from 'kysely';
import type { Flag, JsonText } from '../../json.ts';

type StoredSiteType = 'basic' | 'premium' | 'ultimate' | 'sponsored' | 'legacy-basic' | 'legacy-premium';

export type StoredSiteVisibility = 'public' | 'unlisted' | 'share-link' | 'visitor-auth';

/** The claims of a site, as a JSON Schema (draft 07). Only `unsigned` is an object. */
export interface StoredAdaptiveSchema {
  $schema?: string;
  type: 'object';
  properties: Record<string, StoredClaim | StoredUnsignedClaims>;
  additionalProperties: false;
}

interface StoredClaim {
  type: 'boolean';
  description: string;
}

interface StoredUnsignedClaims {
  type: 'object';
  description: string;
  properties: Record<string, StoredClaim>;
  additionalProperties?: false;
}

/** A site: spaces of an organization, published together. */
export interface SitesTable {
  id: string;
  organization: string;
  type: StoredSiteType;
  title: string;
  /** Path segment on the hostname of the organization. Unique in the organization. */
  basename: string | null;
  /** Hostname and path of the proxy in front of the site. Unique. */
  proxyOrigin: string | null;
  visibility: StoredSiteVisibility;
  published: Flag;
  /** Whether the content adapts to claims about the visitor. */
  adaptiveContent: Flag;
  /** Claims that conditions can use, as a JSON Schema; null if they were never set. */
  adaptiveSchema: JsonText<StoredAdaptiveSchema> | null;
  adaptiveSchemaUpdatedAt: string | null;
  agentsContext: 'excluded' | 'included';
  /** Customization; null for the default values. */
  customization: JsonText<Record<string, unknown>> | null;
  /** Key of the tokens of visitors, sealed. */
  signingKey: string;
  fallbackURL: string | null;
  /** Name of the integration that authenticates visitors; null for another service. */
  authIntegration: string | null;
  /** The section shown first. Null exactly if the site has no sections. */
  defaultSection: string | null;
  /** The site space shown first at the root. Null exactly if there is none at the root. */
  defaultSiteSpace: string | null;
  /** Incremented with each change of the settings or the structure. */
  version: number;
  /** Number of site spaces. Maintained by triggers. */
  spaceCount: Generated<number>;
  /** Title, folded for searches. Maintained by triggers. */
  searchedText: Generated<string>;
  createdAt: string;
  createdBy: string | null;
}

/** A section group, at the root of a site. */
export interface SiteSectionGroupsTable {
  id: string;
  organization: string;
  site: string;
  title: string;
  icon: string | null;
  /** Position among the section groups and ungrouped sections of the site. */
  position: string;
}

/** A section of a site. It has at least one site space. */
export interface SiteSectionsTable {
  id: string;
  organization: string;
  site: string;
  /** The section group that contains the section; null at the root. */
  sectionGroup: string | null;
  title: string;
  description: string | null;
  /** Unique in the site. */
  path: string;
  condition: string | null;
  icon: string | null;
  /** The site space of the section that is shown first. */
  defaultSiteSpace: string;
  /** Position in its group, or among the section groups and ungrouped sections of the site. */
  position: string;
}

/** A space as shown on a site. */
export interface SiteSpacesTable {
  id: string;
  organization: string;
  site: string;
  /** The section that contains the site space; null at the root. */
  section: string | null;
  space: string;
  /** Unique in its section, or at the root. */
  path: string;
  condition: string | null;
  /** Position in its section, or at the root. */
  position: string;
}

/** A link with a secret that gives visitors access to a site. */
export interface ShareLinksTable {
  id: string;
  organization: string;
  site: string;
  name: string;
  active: Flag;
  /** The secret, sealed: its URL can be read again. */
  secret: string;
  secretHash: string;
  createdAt: string;
}
