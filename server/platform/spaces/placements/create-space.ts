import type { components } from '../../../../generated/schema.d.ts';
import { writeRevision } from '../../../content/new-revision.ts';
import { storeBlobs } from '../../../content/store/blobs.ts';
import { objectLoader } from '../../../content/store/objects.ts';
import type { RevisionProperties } from '../../../content/store/revisions.ts';
import { applyTemplate } from '../../../content/templates/apply.ts';
import { Content } from '../../../content/tree/content.ts';
import { EMPTY } from '../../../content/tree/content-root.ts';
import type { Transaction } from '../../../database/database.ts';
import { writeJson } from '../../../database/json.ts';
import { loadAccess } from '../../../identity/access.ts';
import { enqueueIndexing } from '../../kit/indexing-jobs.ts';
import type { Context } from '../../kit/slice.ts';
import type { SpaceWithAccess } from '../spaces/queries.ts';
import { insertSpace } from './insert-space.ts';
import { requireCreatePermission } from './permissions.ts';

/**
 * Creates a space at the end of its parent, empty, computed, or with the content of a template.
 *
 * @throws ContractError 400 or 409 if the template does not exist, or its parameters are invalid
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
    now,
  });
  const properties = { id: revision, organization, space: id, createdBy: caller.id, now };
  if (computedSource) {
    const change = { computed: computedSource };
    await writeRevision(trx, { ...properties, type: 'computed', parents: [], base: null, change });
    await enqueueIndexing(trx, ctx, { id, organization });
  } else if (template) {
    await startFromTemplate(trx, ctx, properties, template);
    await enqueueIndexing(trx, ctx, { id, organization });
  } else {
    await writeRevision(trx, { ...properties, type: 'edits', parents: [], base: null, change: {} });
  }
  return { row, access: await loadAccess(trx, member, { kind: 'space', resources: [row] }) };
}

async function startFromTemplate(
  trx: Transaction,
  { createId }: Context,
  properties: Omit<RevisionProperties, 'type' | 'parents'>,
  template: components['schemas']['TemplateChoice'],
): Promise<void> {
  const { organization, now } = properties;
  const empty = new Content(EMPTY, objectLoader(trx, organization));
  const change = await applyTemplate(empty, template, { now, createId, field: 'template.' });
  if (change) {
    await storeBlobs(trx, organization, change.bytes);
  }
  await writeRevision(trx, { ...properties, type: 'edits', parents: [], base: null, change: change ?? {} });
}
