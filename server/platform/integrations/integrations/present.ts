import type { components } from '../../../../generated/schema.d.ts';
import { readJson } from '../../../database/json.ts';
import type { StoredConfiguration, StoredImage } from '../../../database/schema/integrations/integrations.ts';
import { integrationPermissions, NO_ORGANIZATION_PERMISSIONS } from '../../../identity/permissions.ts';
import { presentOrganization } from '../../accounts/organizations/present.ts';
import type { ResourceUrls } from '../../kit/resource-urls.ts';
import { definitionOf, type IntegrationRow, type Owner } from './queries.ts';

type Schemas = components['schemas'];

/** Converts an integration to its representation in the API for a caller. */
export function presentIntegration(
  row: IntegrationRow,
  owner: Owner,
  resourceUrls: ResourceUrls,
): Schemas['Integration'] {
  const definition = definitionOf(row);
  const urls = resourceUrls.integration(row.name);
  const urlOf = (image: StoredImage) => ('url' in image ? image.url : `${urls.assets}/${image.asset}`);
  const withIconUrl = <Item extends { icon?: StoredImage }>({ icon, ...item }: Item) => ({
    ...item,
    ...(icon && { icon: urlOf(icon) }),
  });
  const { icon, description, summary, blocks, contentSources, configurations, contentSecurityPolicy } =
    definition;
  const { account, space, site } = configurations;
  return {
    object: 'integration',
    name: row.name,
    version: row.version,
    title: row.title,
    ...(description !== null && { description }),
    ...(summary !== null && { summary }),
    previewImages: definition.previewImages.map(urlOf),
    target: row.target,
    verified: false,
    visibility: row.visibility,
    scopes: readJson(row.scopes),
    categories: definition.categories,
    ...(blocks.length > 0 && { blocks: blocks.map(withIconUrl) }),
    ...(contentSources.length > 0 && { contentSources: contentSources.map(withIconUrl) }),
    ...(Object.keys(configurations).length > 0 && {
      configurations: {
        ...(account && { account: presentConfiguration(account) }),
        ...(space && { space: presentConfiguration(space) }),
        ...(site && { site: presentConfiguration(site) }),
      },
    }),
    externalLinks: definition.externalLinks,
    owner: presentOwner(owner, resourceUrls),
    urls: { ...urls, ...(icon && { icon: urlOf(icon) }) },
    permissions: integrationPermissions(owner),
    ...(contentSecurityPolicy !== null && { contentSecurityPolicy }),
  };
}

const presentConfiguration = (configuration: StoredConfiguration): Schemas['IntegrationConfiguration'] =>
  'componentId' in configuration ? { properties: {}, required: [] } : configuration;

/** Presents the owner without its settings to callers who are not its members. */
function presentOwner({ row, role }: Owner, resourceUrls: ResourceUrls): Schemas['Organization'] {
  if (role !== undefined) {
    return presentOrganization(row, role, resourceUrls);
  }
  const { id, title, createdAt, type, plan, trial, urls } = presentOrganization(row, null, resourceUrls);
  return {
    object: 'organization',
    id,
    title,
    createdAt,
    type,
    plan,
    trial,
    urls,
    emailDomains: [],
    inviteLinks: false,
    permissions: NO_ORGANIZATION_PERMISSIONS,
  };
}
