import type { Selectable } from 'kysely';
import type { components } from '../../../../generated/schema.d.ts';
import type { Queries, Transaction } from '../../../database/database.ts';
import { flag } from '../../../database/json.ts';
import type { ShareLinksTable } from '../../../database/schema/sites/sites.ts';
import { notFound, shareLinkLimitExceeded } from '../../../errors/errors.ts';
import { unlessNotFound } from '../../../identity/errors.ts';
import type { NewAuditEvent } from '../../kit/audit/record.ts';
import type { Context } from '../../kit/slice.ts';
import type { SiteRow } from '../../spaces/publications/structure.ts';
import { type SiteName, siteFor } from '../sites/queries.ts';
import { createShareSecret } from './queries/secrets.ts';

type Schemas = components['schemas'];
type ShareLinkRow = Selectable<ShareLinksTable>;

/** Maximum number of share links of a site. */
export const MAX_SHARE_LINKS = 100;

/** IDs of a share link, its site and its organization. */
export interface ShareLinkName extends SiteName {
  shareLink: string;
}

/** A share link with its site. */
interface ShareLinkOfSite {
  row: ShareLinkRow;
  site: SiteRow;
}

/**
 * Creates a share link with a new secret.
 *
 * @throws ContractError 409 if the site has the maximum number of share links
 */
export async function createShareLink(
  trx: Transaction,
  ctx: Context,
  { name, ...siteName }: SiteName & Schemas['ShareLinkCreate'],
): Promise<ShareLinkOfSite> {
  const { row: site } = await siteFor(trx, ctx.caller.id, siteName, 'structure');
  const { count } = await trx
    .selectFrom('shareLinks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('site', '=', site.id)
    .executeTakeFirstOrThrow();
  if (count >= MAX_SHARE_LINKS) {
    throw shareLinkLimitExceeded(MAX_SHARE_LINKS);
  }
  const id = ctx.createId('shl');
  const row: ShareLinkRow = {
    id,
    organization: site.organization,
    site: site.id,
    name,
    active: 1,
    ...createShareSecret(ctx.secretKey, id),
    createdAt: ctx.clock().toISOString(),
  };
  await trx.insertInto('shareLinks').values(row).execute();
  await ctx.audit(trx, eventOf('share_link.created', row));
  return { row, site };
}

/** Changes the name of a share link, or whether visitors can use it. */
export async function updateShareLink(
  trx: Transaction,
  { caller, audit }: Context,
  { shareLink, name, active, ...siteName }: ShareLinkName & Schemas['ShareLinkPatch'],
): Promise<ShareLinkOfSite> {
  const { row: site } = await siteFor(trx, caller.id, siteName, 'structure');
  const existing = await findShareLink(trx, site, shareLink);
  if (!existing) {
    throw notFound('share link');
  }
  const changes = {
    name: name ?? existing.name,
    active: active === undefined ? existing.active : flag(active),
  };
  await trx.updateTable('shareLinks').set(changes).where('id', '=', existing.id).execute();
  if (changes.active !== existing.active) {
    const details = { before: statusOf(existing), after: statusOf(changes) };
    await audit(trx, { ...eventOf('share_link.changed', existing), details });
  }
  return { row: { ...existing, ...changes }, site };
}

/** Deletes a share link. */
export async function deleteShareLink(
  trx: Transaction,
  { caller, audit }: Context,
  { shareLink, ...siteName }: ShareLinkName,
): Promise<void> {
  const editable = await unlessNotFound(siteFor(trx, caller.id, siteName, 'structure'));
  const existing = editable && (await findShareLink(trx, editable.row, shareLink));
  if (!existing) {
    return;
  }
  await trx.deleteFrom('shareLinks').where('id', '=', existing.id).execute();
  await audit(trx, eventOf('share_link.deleted', existing));
}

const findShareLink = async (
  queries: Queries,
  site: SiteRow,
  id: string,
): Promise<ShareLinkRow | undefined> =>
  await queries
    .selectFrom('shareLinks')
    .selectAll()
    .where('id', '=', id)
    .where('site', '=', site.id)
    .executeTakeFirst();

const statusOf = ({ active }: Pick<ShareLinkRow, 'active'>) => (active === 1 ? 'active' : 'inactive');

const eventOf = (
  action: 'share_link.created' | 'share_link.changed' | 'share_link.deleted',
  { id, organization, site }: ShareLinkRow,
): NewAuditEvent => ({
  organization,
  action,
  resource: { type: 'share-link', id },
  details: { subject: { type: 'site', id: site } },
});
