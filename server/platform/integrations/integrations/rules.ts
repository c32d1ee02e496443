import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { fold } from '../../../database/fold.ts';
import { flag, readJson, writeJson } from '../../../database/json.ts';
import type { StoredDefinition } from '../../../database/schema/integrations/integrations.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { accountOf } from '../../../identity/integration-accounts.ts';
import { type JobKind, jobKind } from '../../../jobs/queue.ts';
import { requireQuota } from '../../../quotas/use.ts';
import { requireCallable } from '../../kit/callable-urls.ts';
import type { Context } from '../../kit/slice.ts';
import { removeInstallations } from '../installations/rules/remove.ts';
import { publisherFor } from './queries/publisher.ts';
import { sealSecrets } from './queries/secrets.ts';
import { definitionOf, findIntegration, type IntegrationWithOwner, integrationFor } from './queries.ts';
import type { PreparedPublication } from './rules/publication.ts';
import { storeTags } from './rules/tags.ts';
import { storeVersion } from './rules/versions.ts';

type Schemas = components['schemas'];

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

/**
 * Stores a version of an integration, and makes it the current one.
 *
 * @throws ContractError 403 if the organization would exceed its quota of integrations, or of bytes
 */
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
  const before = await findIntegration(trx, name);
  const definition = { ...(before ? definitionOf(before) : EMPTY_DEFINITION), ...prepared.definition };
  const version = (before?.version ?? 0) + 1;
  const title = body.title ?? before?.title ?? name;
  const scopes = body.scopes ?? (before ? readJson(before.scopes) : []);
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
    await requireQuota(trx, ctx.quotas, organization, { integrations: 1 });
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
  const published = { integration: name, version, organization, createdAt: now, createdBy: caller.id };
  await storeVersion(trx, ctx.quotas, published, definition, prepared);
  await storeTags(trx, { name, organization, visibility: columns.visibility, scopes }, definition);
  await audit(trx, {
    organization,
    action: 'integration.published',
    resource: { type: 'integration', id: name },
    details: { fields: scopes },
  });
  return await integrationFor(trx, caller.id, name, 'admin');
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
  await trx.deleteFrom('tokens').where('user', '=', accountOf(name)).execute();
  await ctx.queue.enqueue(trx, { kind: sweepIntegration, organization, payload: { organization } });
  await ctx.audit(trx, {
    organization,
    action: 'integration.unpublished',
    resource: { type: 'integration', id: name },
  });
}

/**
 * Redirects the events of an integration to a URL of its developer, or no longer if there is none.
 *
 * @throws ContractError 400 if the server may not call the URL
 */
export async function setTunnel(
  trx: Transaction,
  ctx: Context,
  { name, tunnel }: { name: string; tunnel: Schemas['IntegrationTunnel'] | undefined },
): Promise<void> {
  const requested = integrationFor(trx, ctx.caller.id, name, 'admin');
  const integration = await (tunnel ? requested : unlessNotFound(requested));
  if (!integration || (!tunnel && integration.row.tunnelURL === null)) {
    return;
  }
  if (tunnel) {
    requireCallable('tunnelUrl', tunnel.tunnelUrl, ctx.outgoing.allow);
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
