import type { components } from '../../../../generated/schema.d.ts';
import type { Transaction } from '../../../database/database.ts';
import { flag, writeJson } from '../../../database/json.ts';
import { basenameTaken, proxyTaken } from '../../../errors/errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import { requireInOrganization } from '../../../identity/membership.ts';
import { changesOf } from '../../kit/audit/changes.ts';
import { raiseContentRemovals } from '../../kit/events/content-installations.ts';
import type { Context } from '../../kit/slice.ts';
import { createSpace } from '../../spaces/placements/create-space.ts';
import {
  readRows,
  type SiteRow,
  type StructureRows,
  selectSites,
  writeRows,
} from '../../spaces/publications/rows.ts';
import { raisingVisibilityEvents, spacesOnSite } from '../../spaces/publications/visibility-events.ts';
import type { ShownSpace } from '../structure/edit/append.ts';
import { setDefaults } from '../structure/edit/sections.ts';
import { addSiteSpace } from '../structure/edit/site-spaces.ts';
import { requireShowableSpace } from '../structure/spaces.ts';
import { createSigningKey } from '../visitors/signing-keys.ts';
import { type SiteName, type SiteWithAccess, siteFor } from './queries.ts';

type Schemas = components['schemas'];

/** Template of the space of a site that starts with sample pages. */
const SAMPLE_TEMPLATE = 'tpl_handbook';

/**
 * Creates a site, with spaces at its root.
 *
 * @throws ContractError 400 if one of the spaces does not exist, 403 if the caller may not show it
 */
export async function createSite(
  trx: Transaction,
  ctx: Context,
  { organization, ...body }: { organization: string } & Schemas['SiteCreate'],
): Promise<SiteWithAccess> {
  const { caller, clock, createId, secretKey } = ctx;
  const member = await requireInOrganization(trx, caller.id, organization, 'createContent');
  const id = createId('site');
  await trx
    .insertInto('sites')
    .values({
      id,
      organization,
      type: body.type ?? 'basic',
      title: body.title ?? 'Untitled',
      basename: null,
      proxyOrigin: null,
      visibility: body.visibility ?? 'public',
      published: flag(false),
      adaptiveContent: flag(false),
      adaptiveSchema: null,
      adaptiveSchemaUpdatedAt: null,
      agentsContext: 'included',
      customization: null,
      signingKey: createSigningKey(secretKey, id),
      fallbackURL: null,
      authIntegration: null,
      defaultSection: null,
      defaultSiteSpace: null,
      version: 1,
      createdAt: clock().toISOString(),
      createdBy: caller.id,
    })
    .execute();
  const site = await selectSites(trx).where('sites.id', '=', id).executeTakeFirstOrThrow();
  const empty: StructureRows = { site, groups: [], sections: [], siteSpaces: [] };
  const spaces = await initialSpaces(trx, ctx, { ...body, organization });
  const rows = spaces.reduce((before, space) => addSiteSpace(before, { space }, createId).rows, empty);
  return { row: (await writeRows(trx, empty, rows)).site, member };
}

/** Finds or creates the initial spaces of a site. */
async function initialSpaces(
  trx: Transaction,
  ctx: Context,
  { organization, title, spaces = [] }: { organization: string } & Schemas['SiteCreate'],
): Promise<ShownSpace[]> {
  if (typeof spaces === 'string') {
    const { row } = await createSpace(trx, ctx, {
      organization,
      ...(title !== undefined && { title }),
      ...(spaces === 'sample' && { template: { id: SAMPLE_TEMPLATE } }),
    });
    return [row];
  }
  const shown: ShownSpace[] = [];
  for (const [index, space] of spaces.entries()) {
    const field = `spaces.${index}`;
    shown.push(await requireShowableSpace(trx, ctx.caller.id, { organization, space, field }));
  }
  return shown;
}

/**
 * Updates the fields that the body contains.
 *
 * @throws ContractError 400 if a default does not exist, 409 if another site has the basename or the proxy
 */
export async function updateSite(
  trx: Transaction,
  ctx: Context,
  { organization, site, ...body }: SiteName & Schemas['SitePatch'],
): Promise<SiteWithAccess> {
  const { caller, audit } = ctx;
  const { row, member } = await siteFor(trx, caller.id, { organization, site }, 'admin');
  const { basename, proxy, adaptiveContent } = body;
  await requireFreeNames(trx, row, { basename, proxy: proxy ?? undefined });
  const changed = changesOf<SiteRow>(row, {
    ...(body.title !== undefined && { title: body.title }),
    ...(body.visibility !== undefined && { visibility: body.visibility }),
    ...(basename !== undefined && { basename }),
    ...(body.agentsContext !== undefined && { agentsContext: body.agentsContext }),
    ...(adaptiveContent !== undefined && { adaptiveContent: flag(adaptiveContent.enabled) }),
    ...(proxy !== undefined && { proxyOrigin: proxy }),
  });
  const before = await readRows(trx, row);
  const after = setDefaults(
    { ...before, site: { ...row, ...changed?.values } },
    { section: body.defaultSiteSection, siteSpace: body.defaultSiteSpace },
  );
  const write = () => writeRows(trx, before, after);
  const written =
    changed?.values.visibility === undefined
      ? await write()
      : await raisingVisibilityEvents(trx, ctx, shownOn(row), write);
  if (written.site.visibility !== row.visibility) {
    await audit(trx, {
      organization,
      action: 'site.visibility_changed',
      resource: { type: 'site', id: site },
      details: { before: row.visibility, after: written.site.visibility },
    });
  }
  if (written.site.adaptiveContent !== row.adaptiveContent) {
    await audit(trx, {
      organization,
      action: 'site.conditions_changed',
      resource: { type: 'site', id: site },
      details: { fields: ['adaptiveContent'] },
    });
  }
  return { row: written.site, member };
}

/** The spaces of a site. Changes of the site may affect their visibility. */
const shownOn = ({ id, organization, published }: SiteRow) => ({
  organization,
  spaces: async (trx: Transaction) => (published === 1 ? await spacesOnSite(trx, id) : []),
});

async function requireFreeNames(
  trx: Transaction,
  { id, organization }: SiteRow,
  { basename, proxy }: { basename: string | undefined; proxy: string | undefined },
): Promise<void> {
  const others = trx.selectFrom('sites').select('id').where('id', '!=', id);
  if (basename !== undefined) {
    const other = await others
      .where('organization', '=', organization)
      // IDs are names of sites, too.
      .where((row) => row.or([row('basename', '=', basename), row('id', '=', basename)]))
      .executeTakeFirst();
    if (other) {
      throw basenameTaken(basename);
    }
  }
  if (proxy !== undefined && (await others.where('proxyOrigin', '=', proxy).executeTakeFirst())) {
    throw proxyTaken(proxy);
  }
}

/** Deletes a site with its structure and share links. If it is the default content of the organization, none is. */
export async function deleteSite(trx: Transaction, ctx: Context, name: SiteName): Promise<void> {
  const { caller, audit } = ctx;
  const existing = await unlessNotFound(siteFor(trx, caller.id, name, 'admin'));
  if (!existing) {
    return;
  }
  const { id, organization } = existing.row;
  await trx
    .updateTable('organizations')
    .set({ defaultContent: null })
    .where('id', '=', organization)
    .where('defaultContent', '=', writeJson({ type: 'site' as const, site: id }))
    .execute();
  await raiseContentRemovals(trx, ctx, { column: 'site', id });
  await raisingVisibilityEvents(trx, ctx, shownOn(existing.row), () =>
    trx.deleteFrom('sites').where('id', '=', id).execute(),
  );
  await audit(trx, { organization, action: 'site.deleted', resource: { type: 'site', id } });
}

/** Publishes or unpublishes a site. Records nothing if the site already is. */
export async function setPublished(
  trx: Transaction,
  ctx: Context,
  { published, ...name }: SiteName & { published: boolean },
): Promise<SiteWithAccess> {
  const { caller, audit } = ctx;
  const { row, member } = await siteFor(trx, caller.id, name, 'structure');
  if (row.published === flag(published)) {
    return { row, member };
  }
  const changed = { published: flag(published), version: row.version + 1 };
  await raisingVisibilityEvents(trx, ctx, shownOn({ ...row, published: 1 }), () =>
    trx.updateTable('sites').set(changed).where('id', '=', row.id).execute(),
  );
  await audit(trx, {
    organization: row.organization,
    action: published ? 'site.published' : 'site.unpublished',
    resource: { type: 'site', id: row.id },
  });
  return { row: { ...row, ...changed }, member };
}
