import type { Flag, JsonText } from '../../json.ts';

export type StoredIntegrationTarget = 'all' | 'site' | 'space' | 'organization';

export type StoredIntegrationVisibility = 'public' | 'private' | 'unlisted';

export type StoredIntegrationCategory =
  | 'analytics'
  | 'collaboration'
  | 'content'
  | 'gitsync'
  | 'marketing'
  | 'visitor-auth'
  | 'other';

export type StoredIntegrationScope =
  | 'space:content:read'
  | 'space:content:write'
  | 'space:metadata:read'
  | 'space:metadata:write'
  | 'space:git:sync'
  | 'space:views:read'
  | 'space:script:inject'
  | 'space:script:cookies'
  | 'space:visitor:auth'
  | 'site:metadata:read'
  | 'site:views:read'
  | 'site:script:inject'
  | 'site:script:cookies'
  | 'site:visitor:auth'
  | 'site:visitor:claims'
  | 'site:adaptive:read'
  | 'site:adaptive:write'
  | 'site:ai:ask'
  | 'page:feedback:read'
  | 'openapi:read'
  | 'openapi:write'
  | 'conversations:ingest';

/** An integration, and what its latest publication is found by. */
export interface IntegrationsTable {
  /** Unique in the service. */
  name: string;
  /** The organization that published it. */
  organization: string;
  /** Number of publications, and of the current version. */
  version: number;
  title: string;
  /** Folded name and title. */
  searchedText: string;
  target: StoredIntegrationTarget;
  visibility: StoredIntegrationVisibility;
  scopes: JsonText<StoredIntegrationScope[]>;
  hasBlocks: Flag;
  hasContentSources: Flag;
  /** Secret values of the script by name as JSON, sealed; null if there are none. */
  secrets: string | null;
  /** URL of its developer that receives events; null if it is not in development. */
  tunnelURL: string | null;
  /** Whether the URL receives the events of all organizations. */
  tunnelAll: Flag;
  createdAt: string;
  updatedAt: string;
}

/** A published version. Immutable. */
export interface IntegrationVersionsTable {
  integration: string;
  version: number;
  organization: string;
  definition: JsonText<StoredDefinition>;
  /** Hash of the script, a blob of the organization. */
  script: string;
  createdAt: string;
  createdBy: string;
}

/** An image of a version, a blob of the organization. */
export interface IntegrationAssetsTable {
  integration: string;
  version: number;
  organization: string;
  hash: string;
  contentType: string;
}

/** A value that integrations are filtered by. */
export interface IntegrationTagsTable {
  integration: string;
  organization: string;
  kind: 'category' | 'scope' | 'block domain';
  value: string;
  /** That of the integration. */
  visibility: StoredIntegrationVisibility;
}

/** What a version defines besides the columns of its integration. */
export interface StoredDefinition {
  runtime: 'v1' | 'v2';
  description: string | null;
  summary: string | null;
  icon: StoredImage | null;
  previewImages: StoredImage[];
  categories: StoredIntegrationCategory[];
  blocks: StoredBlock[];
  contentSources: StoredContentSource[];
  externalLinks: { url: string; label: string }[];
  configurations: Partial<Record<StoredConfigurationLevel, StoredConfiguration>>;
  contentSecurityPolicy: string | null;
}

/** Name of an asset: its hash with the extension of its type. */
type StoredAssetName = string;

/** An asset, or an image at a URL. */
export type StoredImage = { asset: StoredAssetName } | { url: string };

export interface StoredBlock {
  id: string;
  title: string;
  description?: string;
  icon?: StoredImage;
  urlUnfurl?: string[];
  markdown?: { codeblock: string; body: string };
}

export interface StoredContentSource {
  id: string;
  title: string;
  description?: string;
  icon?: StoredImage;
  configuration: { componentId: string };
}

export type StoredConfigurationLevel = 'account' | 'space' | 'site';

/** Settings, or a form of the integration. */
export type StoredConfiguration =
  | { properties: Record<string, StoredProperty>; required: string[] }
  | { componentId: string };

interface StoredPropertyLabels {
  title?: string;
  description?: string;
}

export type StoredProperty =
  | (StoredPropertyLabels & { type: 'string'; default?: string; completion_url?: string; enum?: string[] })
  | (StoredPropertyLabels & { type: 'number'; default?: number })
  | (StoredPropertyLabels & { type: 'boolean'; default?: boolean })
  | (StoredPropertyLabels & { type: 'button'; callback_url: string; button_text: string });
