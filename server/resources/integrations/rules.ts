import type { components } from '../../../generated/schema.d.ts';
import { putBlobs } from '../../content/store/blobs.ts';
import { countSweeps } from '../../content/store/revisions.ts';
import { hashOf } from '../../content/tree/hash.ts';
import type { Queries, Transaction } from '../../database/database.ts';
import { fold } from '../../database/fold.ts';
import { flag, readJson, writeJson } from '../../database/json.ts';
import type { StoredDefinition, StoredImage } from '../../database/schema/integrations.ts';
import { fieldInvalid, integrationNameTaken, notFound } from '../../errors.ts';
import type { CallerId } from '../../identity/caller.ts';
import { unlessNotFound } from '../../identity/errors.ts';
import { requireInOrganization } from '../../identity/membership.ts';
import { type JobKind, jobKind } from '../../jobs/queue.ts';
import { removeInstallations } from '../../models/installations/remove.ts';
import { IMAGE_TYPES } from '../../models/integrations/images.ts';
import type { PreparedPublication } from '../../models/integrations/publication.ts';
import {
  definitionOf,
  type IntegrationRow,
  type IntegrationWithOwner,
  integrationFor,
  ownerFinder,
  selectIntegrations,
  usableOrganizations,
} from '../../models/integrations/queries.ts';
import { sealSecrets } from '../../models/integrations/secrets.ts';
import type { Context } from '../kit/slice.ts';

type Schemas = components['schemas'];

/** Maximum number of versions of an integration that are retained. */
export const MAX_RETAINED_VERSIONS = 10;

/** Deletes the scripts and images of an unpublished integration. */
export const sweepIntegration: JobKind<{ organization: string }> = jobKind<{ organization: string }>(
  'integration-sweep',
);

const EMPTY_DEFINITION: StoredDefinition = {
  runtime: 'v1',
  description: null,
  summary: null,
  icon: null,
  previewImages: [],
  categories: [],
  blocks: [],
  contentSources: [],
  externalLinks: [],
  configurations: {},
  contentSecurityPolicy: null,
};

/** Name of the lock of the writers of an integration. */
export const integrationLock = (name: string): string => `integration ${name}`;

/**
 * Finds the organization that a publication belongs to.
 *
 * @throws ContractError 404 for an unknown organization, 403 if the caller is not its admin, 400 if it is not
 *   determined, 409 if another organization owns the name
 */
export async function publisherFor(
  queries: Queries,
  caller: CallerId,
  { name, organization }: { name: string; organization: string | undefined },
): Promise<string> {
  const existing = await selectIntegrations(queries).where('integrations.name', '=', name).executeTakeFirst();
  const requested = organization === undefined ? undefined : await organizationNamed(queries, organization);
  const publisher = requested ?? (await defaultPublisher(queries, caller, name, existing));
  await requireInOrganization(queries, caller, publisher, 'admin');
  if (existing && existing.organization !== publisher) {
    throw integrationNameTaken(name);
  }
  return publisher;
}

async function organizationNamed(queries: Queries, name: string): Promise<string> {
  const row = await queries
    .selectFrom('organizations')
    .select('id')
    .where((either) => either.or([either('id', '=', name), either('hostname', '=', name.toLowerCase())]))
    .executeTakeFirst();
  if (!row) {
    throw notFound('organization');
  }
  return row.id;
}

/** Returns the owner if the caller is its member, and otherwise the only organization that the caller administers. */
async function defaultPublisher(
  queries: Queries,
  caller: CallerId,
  name: string,
  existing: IntegrationRow | undefined,
): Promise<string> {
  if (existing) {
    const { role } = await ownerFinder(queries, caller)(existing.organization);
    if (role !== undefined) {
      return existing.organization;
    }
    throw integrationNameTaken(name);
  }
  const administered = await usableOrganizations(queries, caller)
    .where('members.role', '=', 'admin')
    .limit(2)
    .execute();
  const [only, ...others] = administered;
  if (!only || others.length > 0) {
    throw fieldInvalid('organization', 'is required unless you are an admin of exactly one organization');
  }
  return only.organization;
}

/** Stores a version of an integration, and makes it the current one. */
export async function publishIntegration(
  trx: Transaction,
  ctx: Context,
  {
    name,
    body,
    prepared,
  }: {
    name: string;
    body: Schemas['IntegrationPublication'];
    prepared: PreparedPublication;
  },
): Promise<IntegrationWithOwner> {
  const { caller, audit } = ctx;
  const organization = await publisherFor(trx, caller.id, { name, organization: body.organization });
  const now = ctx.clock().toISOString();
  const before = await selectIntegrations(trx).where('integrations.name', '=', name).executeTakeFirst();
  const definition = { ...(before ? definitionOf(before) : EMPTY_DEFINITION), ...prepared.definition };
  const version = (before?.version ?? 0) + 1;
  const title = body.title ?? before?.title ?? name;
  const scopes = body.scopes ? [...new Set(body.scopes)] : before ? readJson(before.scopes) : [];
  const columns = {
    version,
    title,
    searchedText: fold(`${name}\n${title}`),
    target: body.target ?? before?.target ?? 'all',
    visibility: body.visibility ?? before?.visibility ?? 'private',
    scopes: writeJson(scopes),
    hasBlocks: flag(definition.blocks.length > 0),
    hasContentSources: flag(definition.contentSources.length > 0),
    updatedAt: now,
  } as const;
  const secrets = body.secrets && { secrets: sealSecrets(body.secrets, name, ctx.secretKey) };
  if (before) {
    await trx
      .updateTable('integrations')
      .set({ ...columns, ...secrets })
      .where('name', '=', name)
      .execute();
  } else {
    await trx
      .insertInto('integrations')
      .values({
        name,
        organization,
        ...columns,
        secrets: secrets?.secrets ?? null,
        tunnelURL: null,
        tunnelAll: 0,
        createdAt: now,
      })
      .execute();
  }
  const script = prepared.script?.hash ?? (await scriptOf(trx, before)) ?? hashOf(EMPTY_SCRIPT);
  await storeFiles(trx, organization, prepared, script);
  await trx
    .insertInto('integrationVersions')
    .values({
      integration: name,
      version,
      organization,
      definition: writeJson(definition),
      script,
      createdAt: now,
      createdBy: caller.id,
    })
    .execute();
  await storeAssets(trx, { name, organization, version }, definition);
  await storeTags(trx, { name, organization, scopes }, definition);
  await removeOldVersions(trx, name, version);
  await audit(trx, {
    organization,
    action: 'integration.published',
    resource: { type: 'integration', id: name },
    details: { fields: scopes },
  });
  return await integrationFor(trx, caller.id, name, 'admin');
}

const EMPTY_SCRIPT = new Uint8Array();

async function scriptOf(trx: Transaction, before: IntegrationRow | undefined): Promise<string | undefined> {
  const row =
    before &&
    (await trx
      .selectFrom('integrationVersions')
      .select('script')
      .where('integration', '=', before.name)
      .where('version', '=', before.version)
      .executeTakeFirst());
  return row?.script;
}

/** Stores the images and the script. Conflicts with a concurrent sweep, see countSweeps. */
async function storeFiles(
  trx: Transaction,
  organization: string,
  { images, script }: PreparedPublication,
  scriptHash: string,
): Promise<void> {
  await countSweeps(trx, organization);
  const scripts = script ? [script.bytes] : scriptHash === hashOf(EMPTY_SCRIPT) ? [EMPTY_SCRIPT] : [];
  await putBlobs(trx, organization, [...images.map(({ bytes }) => bytes), ...scripts]);
}

interface PublishedVersion {
  name: string;
  organization: string;
  version: number;
}

async function storeAssets(
  trx: Transaction,
  { name: integration, organization, version }: PublishedVersion,
  { icon, previewImages, blocks, contentSources }: StoredDefinition,
): Promise<void> {
  const images: (StoredImage | null | undefined)[] = [
    icon,
    ...previewImages,
    ...blocks.map((block) => block.icon),
    ...contentSources.map((source) => source.icon),
  ];
  const names = new Set(images.flatMap((image) => (image && 'asset' in image ? [image.asset] : [])));
  for (const asset of names) {
    const [hash = '', extension = ''] = asset.split('.');
    const contentType = IMAGE_TYPES[extension] ?? 'application/octet-stream';
    await trx
      .insertInto('integrationAssets')
      .values({ integration, version, organization, hash, contentType })
      .execute();
  }
}

/** Replaces the values that the integration is filtered by. */
async function storeTags(
  trx: Transaction,
  { name: integration, organization, scopes }: { name: string; organization: string; scopes: string[] },
  { categories, blocks }: StoredDefinition,
): Promise<void> {
  const domains = blocks.flatMap(({ urlUnfurl = [] }) => urlUnfurl.flatMap((url) => domainOf(url) ?? []));
  const tags = [
    ...categories.map((value) => ({ kind: 'category', value }) as const),
    ...scopes.map((value) => ({ kind: 'scope', value }) as const),
    ...[...new Set(domains)].map((value) => ({ kind: 'block domain', value }) as const),
  ];
  await trx.deleteFrom('integrationTags').where('integration', '=', integration).execute();
  if (tags.length > 0) {
    await trx
      .insertInto('integrationTags')
      .values(tags.map((tag) => ({ integration, organization, ...tag })))
      .execute();
  }
}

/** Returns the hostname of a URL, or of a pattern such as `https://*.example.com/*`, without a wildcard label. */
const domainOf = (url: string): string | undefined =>
  /^(?:[a-z*]+:\/\/)?(?:\*\.)?([a-zA-Z0-9-_.]{1,253})(?:[:/?#]|$)/i.exec(url)?.[1]?.toLowerCase();

async function removeOldVersions(trx: Transaction, integration: string, version: number): Promise<void> {
  const last = version - MAX_RETAINED_VERSIONS;
  for (const table of ['integrationVersions', 'integrationAssets'] as const) {
    await trx.deleteFrom(table).where('integration', '=', integration).where('version', '<=', last).execute();
  }
}

/** Removes an integration with its installations. */
export async function unpublishIntegration(
  trx: Transaction,
  ctx: Context,
  { name }: { name: string },
): Promise<void> {
  const integration = await unlessNotFound(integrationFor(trx, ctx.caller.id, name, 'admin'));
  if (!integration) {
    return;
  }
  const { organization } = integration.row;
  await removeInstallations(trx, ctx, { integration: name });
  await trx.deleteFrom('integrations').where('name', '=', name).execute();
  await ctx.queue.enqueue(trx, { kind: sweepIntegration, organization, payload: { organization } });
  await ctx.audit(trx, {
    organization,
    action: 'integration.unpublished',
    resource: { type: 'integration', id: name },
  });
}

/** Redirects the events of an integration to a URL of its developer, or no longer if there is none. */
export async function setTunnel(
  trx: Transaction,
  ctx: Context,
  { name, tunnel }: { name: string; tunnel: Schemas['IntegrationTunnel'] | undefined },
): Promise<void> {
  const found = integrationFor(trx, ctx.caller.id, name, 'admin');
  const integration = await (tunnel ? found : unlessNotFound(found));
  if (!integration || (!tunnel && integration.row.tunnelURL === null)) {
    return;
  }
  await trx
    .updateTable('integrations')
    .set({ tunnelURL: tunnel?.tunnelUrl ?? null, tunnelAll: flag(tunnel?.all ?? false) })
    .where('name', '=', name)
    .execute();
  await ctx.audit(trx, {
    organization: integration.row.organization,
    action: tunnel ? 'integration.development_started' : 'integration.development_stopped',
    resource: { type: 'integration', id: name },
  });
}
