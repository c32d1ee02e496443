import type { components } from '../../../../generated/schema.d.ts';
import { writeRevision } from '../../../content/new-revision.ts';
import { storeBlobs } from '../../../content/store/blobs.ts';
import { objectLoader } from '../../../content/store/objects.ts';
import { applyTemplate } from '../../../content/templates/apply.ts';
import { Content } from '../../../content/tree/content.ts';
import { EMPTY } from '../../../content/tree/content-root.ts';
import type { Transaction } from '../../../database/database.ts';
import { writeJson } from '../../../database/json.ts';
import { loadAccess } from '../../../identity/access.ts';
import { requireQuota } from '../../../quotas/use.ts';
import { enqueueIndexing } from '../../kit/indexing-jobs.ts';
import type { Context } from '../../kit/slice.ts';
import type { SpaceWithAccess } from '../spaces/queries.ts';
import { insertSpace } from './insert-space.ts';
import { requireCreatePermission } from './permissions.ts';

/**
 * Creates a space at the end of its parent, empty, computed, or with the content of a template.
 *
 * @throws ContractError 400 or 409 if the template does not exist, or its parameters are invalid, 403 if the organization
 *   would have too many spaces, pages or bytes
 */
export async function createSpace(
  trx: Transaction,
  ctx: Context,
  { organization, ...body }: { organization: string } & components['schemas']['SpaceCreate'],
): Promise<SpaceWithAccess> {
  const { caller, clock, createId } = ctx;
  const parent = body.parent ?? null;
  const template = 'template' in body ? body.template : undefined;
  const computedSource = 'computedSource' in body ? body.computedSource : undefined;
  const member = await requireCreatePermission(trx, caller.id, { organization, parent });
  const now = clock();
  const content = template && (await planTemplate(trx, ctx, template, { organization, now }));
  const pageCount = content?.pages?.size ?? 0;
  await requireQuota(trx, ctx.quotas, organization, { spaces: 1, pages: pageCount });
  const [id, revision] = [createId('spc'), createId('rev')];
  const row = await insertSpace(trx, {
    id,
    organization,
    parent,
    title: body.title ?? 'Untitled',
    emoji: body.emoji ?? null,
    editMode: body.editMode ?? 'live',
    language: body.language ?? null,
    revision,
    searchedRevision: template || computedSource ? null : revision,
    computedSource: computedSource ? writeJson<unknown>(computedSource) : null,
    pageCount,
    now,
  });
  const properties = { id: revision, organization, space: id, createdBy: caller.id, now };
  if (computedSource) {
    const change = { computed: computedSource };
    await writeRevision(trx, { ...properties, type: 'computed', parents: [], base: null, change });
    await enqueueIndexing(trx, ctx, { id, organization });
  } else {
    if (content) {
      await storeBlobs(trx, ctx.quotas, organization, content.bytes);
    }
    await writeRevision(trx, {
      ...properties,
      type: 'edits',
      parents: [],
      base: null,
      change: content ?? {},
    });
    if (template) {
      await enqueueIndexing(trx, ctx, { id, organization });
    }
  }
  return { row, access: await loadAccess(trx, member, { kind: 'space', resources: [row] }) };
}

/** Plans the content of a template; undefined if it has none. */
async function planTemplate(
  trx: Transaction,
  { createId }: Context,
  template: components['schemas']['TemplateChoice'],
  { organization, now }: { organization: string; now: Date },
) {
  const empty = new Content(EMPTY, objectLoader(trx, organization));
  return await applyTemplate(empty, template, { now, createId, field: 'template.' });
}
