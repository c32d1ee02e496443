import type { components } from '../../../../../generated/schema.d.ts';
import type { Transaction } from '../../../../database/database.ts';
import { flag, readJson, writeJson } from '../../../../database/json.ts';
import { fieldInvalid, integrationTargetUnsupported } from '../../../../errors/errors.ts';
import { unlessNotFound } from '../../../../identity/errors.ts';
import { contentRemovalEvent, contentSetupEvent } from '../../../kit/events/content-installations.ts';
import { raiseInstallationEvents } from '../../../kit/events/raise.ts';
import type { Context } from '../../../kit/slice.ts';
import { contentStateOf } from '../present.ts';
import { missingSettings, replaceConfiguration, sealConfiguration } from '../queries/configuration.ts';
import { nextStatus } from '../queries/status.ts';
import {
  type ContentInstallationName,
  type ContentInstallationRow,
  contentInstallationFor,
  findContentInstallation,
  installationFor,
  isInOrganization,
} from '../queries.ts';
import { changedFields, isScript, isSetup, requireConfigurable } from '../rules.ts';
import { replaceExternalIds } from './external-ids.ts';

/** An installation on a space or site, with the caller's permission to see its configuration. */
export interface ContentInstallationWithAccess {
  row: ContentInstallationRow;
  canConfigure: boolean;
}

/**
 * Installs an integration on a space or site of the organization. If it already is, returns that installation.
 *
 * @throws ContractError 400 for a space or site of another organization, 409 if the integration cannot be installed on
 *   it
 */
export async function createContentInstallation(
  trx: Transaction,
  ctx: Context,
  name: ContentInstallationName,
): Promise<ContentInstallationWithAccess> {
  const { kind, target } = name;
  const { row: installation } = await installationFor(trx, ctx.caller.id, name, 'manage');
  const { organization, integrationTarget } = installation;
  if (!(await isInOrganization(trx, { ...name, organization }))) {
    throw fieldInvalid(kind, `must be the ID of a ${kind} of the organization`);
  }
  const existing = await trx
    .selectFrom('contentInstallations')
    .select('target')
    .where('installation', '=', installation.id)
    .where('target', '=', target)
    .executeTakeFirst();
  if (existing) {
    return await contentInstallationFor(trx, ctx.caller.id, name, 'manage');
  }
  if (integrationTarget !== 'all' && integrationTarget !== kind) {
    throw integrationTargetUnsupported(integrationTarget, kind);
  }
  const now = ctx.clock().toISOString();
  await trx
    .insertInto('contentInstallations')
    .values({
      installation: installation.id,
      integration: installation.integration,
      organization,
      kind,
      target,
      space: kind === 'space' ? target : null,
      site: kind === 'site' ? target : null,
      paused: 0,
      configuration: null,
      externalIds: writeJson([]),
      createdAt: now,
      updatedAt: now,
    })
    .execute();
  await audit(trx, ctx, { ...name, organization }, 'installation.created');
  const created = await contentInstallationFor(trx, ctx.caller.id, name, 'manage');
  const { status } = contentStateOf(created.row, ctx.secretKey);
  await raiseInstallationEvents(trx, ctx, [contentSetupEvent(created.row, { status })]);
  return created;
}

/** Updates an installation on a space or site. */
export async function updateContentInstallation(
  trx: Transaction,
  ctx: Context,
  {
    body,
    ...name
  }: ContentInstallationName & {
    body: components['schemas']['ContentInstallationPatch'];
  },
): Promise<ContentInstallationWithAccess> {
  const { row } = await contentInstallationFor(trx, ctx.caller.id, name, 'configure');
  requireConfigurable(ctx.caller, body);
  const { definition: published, ...stored } = row;
  // Stores an implied installation.
  await trx
    .insertInto('contentInstallations')
    .values({ ...stored, createdAt: ctx.clock().toISOString() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const definition = readJson(published);
  const state = contentStateOf(row, ctx.secretKey);
  const configuration =
    body.configuration === undefined
      ? state.configuration
      : replaceConfiguration(definition, row.kind, {
          before: state.configuration,
          requested: body.configuration,
          isIntegration: isScript(ctx.caller),
        });
  const missing = missingSettings(definition, row.kind, configuration);
  const status = nextStatus(state.status, body.status, missing);
  await trx
    .updateTable('contentInstallations')
    .set({
      paused: flag(status === 'paused'),
      ...(body.externalIds && { externalIds: writeJson(body.externalIds) }),
      ...(body.configuration && { configuration: sealConfiguration(configuration, row, ctx.secretKey) }),
      updatedAt: ctx.clock().toISOString(),
    })
    .where('installation', '=', row.installation)
    .where('target', '=', row.target)
    .execute();
  if (body.externalIds) {
    await replaceExternalIds(trx, row, body.externalIds);
  }
  const before = { ...state, externalIds: readJson(row.externalIds) };
  const fields = changedFields(before, { ...body, ...(body.configuration && { configuration }) });
  if (fields.length > 0) {
    await audit(trx, ctx, { ...name, organization: row.organization }, 'installation.updated', fields);
  }
  if (isSetup(fields)) {
    const setup = { status, previous: { status: state.status } };
    await raiseInstallationEvents(trx, ctx, [contentSetupEvent(row, setup)]);
  }
  return await contentInstallationFor(trx, ctx.caller.id, name, 'configure');
}

/** Uninstalls an integration from a space or site. */
export async function deleteContentInstallation(
  trx: Transaction,
  ctx: Context,
  name: ContentInstallationName,
): Promise<void> {
  const installation = await unlessNotFound(installationFor(trx, ctx.caller.id, name, 'manage'));
  const row = installation && (await findContentInstallation(trx, installation.row.id, name));
  if (!row) {
    return;
  }
  await raiseInstallationEvents(trx, ctx, [contentRemovalEvent(row)]);
  await replaceExternalIds(trx, row, []);
  await trx
    .deleteFrom('contentInstallations')
    .where('installation', '=', row.installation)
    .where('target', '=', row.target)
    .execute();
  await audit(trx, ctx, { ...name, organization: row.organization }, 'installation.deleted');
}

async function audit(
  trx: Transaction,
  ctx: Context,
  { installation, kind, target, organization }: ContentInstallationName & { organization: string },
  action: 'installation.created' | 'installation.updated' | 'installation.deleted',
  fields?: string[],
): Promise<void> {
  await ctx.audit(trx, {
    organization,
    action,
    resource: { type: 'installation', id: installation },
    details: { subject: { type: kind, id: target }, ...(fields && { fields }) },
  });
}
