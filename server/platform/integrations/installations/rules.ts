import { isDeepStrictEqual } from 'node:util';
import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { flag, readJson, writeJson } from '../../../database/json.ts';
import {
  accessTokenLimitReached,
  fieldInvalid,
  installationPaused,
  permissionMissing,
} from '../../../errors/errors.ts';
import type { Caller } from '../../../identity/caller.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { INSTALLATION_PREFIX } from '../../../identity/installations.ts';
import { requireInOrganization } from '../../../identity/membership.ts';
import { integrationPermissions } from '../../../identity/permissions.ts';
import { createToken } from '../../../identity/tokens.ts';
import { raiseContentRemovals } from '../../kit/events/content-installations.ts';
import { raiseInstallationEvents } from '../../kit/events/raise.ts';
import type { Context } from '../../kit/slice.ts';
import { integrationFor } from '../integrations/queries.ts';
import { stateOf } from './present.ts';
import { missingSettings, replaceConfiguration, sealConfiguration } from './queries/configuration.ts';
import { nextStatus } from './queries/status.ts';
import {
  findInstallation,
  type InstallationName,
  type InstallationRow,
  type InstallationWithAccess,
  installationFor,
} from './queries.ts';
import { replaceExternalIds } from './rules/external-ids.ts';
import { removeInstallations } from './rules/remove.ts';

type Schemas = components['schemas'];

/** Lifetime of an access token of an installation, in milliseconds. */
export const INSTALLATION_TOKEN_LIFETIME_MS = 60 * 60 * 1000;
/** Maximum number of tokens of an installation that have not expired. */
export const MAX_INSTALLATION_TOKENS = 1000;

/**
 * Installs an integration in an organization. A user with the ID of the installation becomes the author of its changes.
 * If it is already installed, returns that installation.
 *
 * @throws ContractError 400 for a private integration of another organization
 */
export async function createInstallation(
  trx: Transaction,
  ctx: Context,
  { integration, organization }: { integration: string; organization: string },
): Promise<InstallationWithAccess> {
  const { caller, audit, createId } = ctx;
  const { row: published } = await integrationFor(trx, caller.id, integration, 'view');
  await requireInOrganization(trx, caller.id, organization, 'installIntegration');
  const existing = await trx
    .selectFrom('installations')
    .select('id')
    .where('organization', '=', organization)
    .where('integration', '=', integration)
    .executeTakeFirst();
  if (existing) {
    return await installationFor(trx, caller.id, { integration, installation: existing.id }, 'manage');
  }
  if (published.visibility === 'private' && published.organization !== organization) {
    throw fieldInvalid('organization', 'must be the owner of the integration, which is private');
  }
  const [id, now] = [createId(INSTALLATION_PREFIX), ctx.clock().toISOString()];
  await trx
    .insertInto('users')
    .values({ id, email: null, displayName: published.title, photoURL: null, createdAt: now })
    .execute();
  await trx
    .insertInto('installations')
    .values({
      id,
      integration,
      organization,
      paused: 0,
      spaceSelection: 'all',
      siteSelection: 'all',
      configuration: null,
      externalIds: writeJson([]),
      createdAt: now,
      createdBy: caller.id,
      updatedAt: now,
    })
    .execute();
  await audit(trx, {
    organization,
    action: 'installation.created',
    resource: { type: 'installation', id },
  });
  const created = await installationFor(trx, caller.id, { integration, installation: id }, 'manage');
  const { status } = stateOf(created.row, ctx.secretKey);
  await raiseInstallationEvents(trx, ctx, [
    {
      organization,
      integration,
      installation: id,
      type: 'installation_setup',
      fields: { status },
      configuration: null,
    },
  ]);
  return created;
}

/** Updates an installation. */
export async function updateInstallation(
  trx: Transaction,
  ctx: Context,
  { body, ...name }: InstallationName & { body: Schemas['InstallationPatch'] },
): Promise<InstallationWithAccess> {
  const { row } = await installationFor(trx, ctx.caller.id, name, 'configure');
  requireConfigurable(ctx.caller, body);
  const definition = readJson(row.definition);
  const state = stateOf(row, ctx.secretKey);
  const configuration =
    body.configuration === undefined
      ? state.configuration
      : replaceConfiguration(definition, 'account', {
          before: state.configuration,
          requested: body.configuration,
          isIntegration: isScript(ctx.caller),
        });
  const missing = missingSettings(definition, 'account', configuration);
  const status = nextStatus(state.status, body.status, missing);
  await trx
    .updateTable('installations')
    .set({
      paused: flag(status === 'paused'),
      spaceSelection: body.space_selection ?? row.spaceSelection,
      siteSelection: body.site_selection ?? row.siteSelection,
      ...(body.externalIds && { externalIds: writeJson(body.externalIds) }),
      ...(body.configuration && {
        configuration: sealConfiguration(configuration, { installation: row.id, target: '' }, ctx.secretKey),
      }),
      updatedAt: ctx.clock().toISOString(),
    })
    .where('id', '=', row.id)
    .execute();
  if (body.externalIds) {
    await replaceExternalIds(trx, { ...row, installation: row.id, target: '' }, body.externalIds);
  }
  const before = { ...state, externalIds: readJson(row.externalIds), ...selectionsOf(row) };
  const fields = changedFields(before, { ...body, ...(body.configuration && { configuration }) });
  if (fields.length > 0) {
    await ctx.audit(trx, {
      organization: row.organization,
      action: 'installation.updated',
      resource: { type: 'installation', id: row.id },
      details: { fields },
    });
  }
  if (isSetup(fields)) {
    await raiseInstallationEvents(trx, ctx, [
      {
        ...eventOf(row),
        type: 'installation_setup',
        fields: { status, previous: { status: state.status } },
      },
    ]);
  }
  return await installationFor(trx, ctx.caller.id, name, 'configure');
}

const eventOf = ({ id: installation, integration, organization, configuration }: InstallationRow) => ({
  installation,
  integration,
  organization,
  configuration,
});

/** Returns whether an update is an event for the installation. External IDs are its own, and change nothing for it. */
export const isSetup = (changed: readonly string[]): boolean =>
  changed.some((field) => field !== 'externalIds');

const selectionsOf = (row: InstallationWithAccess['row']) => ({
  space_selection: row.spaceSelection,
  site_selection: row.siteSelection,
});

/** Returns the names of the fields of a body that differ from the current values. */
export const changedFields = (before: Record<string, unknown>, body: object): string[] =>
  Object.entries(body)
    .filter(([field, value]) => !isDeepStrictEqual(before[field], value))
    .map(([field]) => field);

/** Whether a request has an access token of an installation, or of an integration. */
export const isScript = ({ installation, integration }: Caller): boolean =>
  installation !== undefined || integration !== undefined;

/** Fields that an access token of the installation, or of its integration, can update. */
const CONFIGURABLE_FIELDS: readonly string[] = ['configuration', 'externalIds'];

/**
 * Requires the fields of an update to be those that the caller can change.
 *
 * @throws ContractError 403 if an access token of the installation or its integration changes its status or its extent
 */
export function requireConfigurable(caller: Caller, body: object): void {
  if (isScript(caller) && Object.keys(body).some((field) => !CONFIGURABLE_FIELDS.includes(field))) {
    throw permissionMissing('organization', 'installIntegration');
  }
}

/** Uninstalls an integration from an organization. */
export async function deleteInstallation(
  trx: Transaction,
  ctx: Context,
  name: InstallationName,
): Promise<void> {
  const existing = await unlessNotFound(installationFor(trx, ctx.caller.id, name, 'manage'));
  if (existing) {
    await raiseContentRemovals(trx, ctx, { column: 'installation', id: existing.row.id });
    await raiseInstallationEvents(trx, ctx, [
      { ...eventOf(existing.row), type: 'installation_deleted', fields: { previous: {} } },
    ]);
    await removeInstallations(trx, ctx, {
      integration: existing.row.integration,
      installation: existing.row.id,
    });
  }
}

/**
 * Creates an access token of an installation, for its integration, and for admins of its organization and of the owner
 * of the integration.
 *
 * @throws ContractError 409 if the installation is paused, or has the maximum number of tokens
 */
export async function createInstallationToken(
  trx: Transaction,
  ctx: Context,
  name: InstallationName,
): Promise<{ token: string; expiresAt: string }> {
  const { caller, audit, createId } = ctx;
  const { owner } = await integrationFor(trx, caller.id, name.integration, 'view');
  const isOwner = integrationPermissions(owner).admin || caller.integration === name.integration;
  const ofOwner = isOwner ? await findInstallation(trx, name) : undefined;
  const row = ofOwner ?? (await installationFor(trx, caller.id, name, 'manage')).row;
  if (row.paused === 1) {
    throw installationPaused();
  }
  const now = ctx.clock();
  const { live } = await trx
    .selectFrom('tokens')
    .select(({ fn }) => fn.countAll<number>().as('live'))
    .where('user', '=', row.id)
    .where('expiresAt', '>', now.toISOString())
    .executeTakeFirstOrThrow();
  if (live >= MAX_INSTALLATION_TOKENS) {
    throw accessTokenLimitReached('installation', live, MAX_INSTALLATION_TOKENS);
  }
  const expiresAt = new Date(now.getTime() + INSTALLATION_TOKEN_LIFETIME_MS);
  const created = await createToken(trx, { user: row.id, label: 'Installation', now, createId, expiresAt });
  await audit(trx, {
    organization: row.organization,
    action: 'installation.token_created',
    resource: { type: 'installation', id: row.id },
    details: { subject: { type: 'token', id: created.row.id }, fields: readJson(row.scopes) },
  });
  return { token: created.token, expiresAt: expiresAt.toISOString() };
}
