import type { components } from '../../../../generated/schema.d.ts';
import { writeRevision } from '../../../content/branch.ts';
import { putBlobs } from '../../../content/store/blobs.ts';
import { objectLoader } from '../../../content/store/objects.ts';
import { copyRevision, type RevisionFacts, requireRevision } from '../../../content/store/revisions.ts';
import { applyTemplate } from '../../../content/templates/apply.ts';
import { Content } from '../../../content/tree/content.ts';
import { EMPTY } from '../../../content/tree/content-root.ts';
import type { Transaction } from '../../../database/database.ts';
import { writeJson } from '../../../database/json.ts';
import { fieldInvalid } from '../../../errors.ts';
import type { CallerId } from '../../../identity/caller.ts';
import { containerFor } from '../../../models/placements/container.ts';
import { endOf } from '../../../models/placements/queries.ts';
import { spaceFor } from '../../../models/spaces/queries.ts';
import { enqueueIndexing } from '../../kit/indexing.ts';
import type { Services } from '../../kit/slice.ts';

/**
 * Creates a space at the end of its parent, empty, computed, or with the content of a template, and returns its ID.
 *
 * @throws ContractError 400 if both a template and a computed source are specified
 * @throws ContractError 400 or 409 if the template does not exist, or its parameters are invalid
 */
export async function createSpace(
  trx: Transaction,
  services: Services,
  user: CallerId,
  organization: string,
  body: components['schemas']['SpaceCreate'],
): Promise<string> {
  const { clock, makeId } = services;
  const parent = body.parent ?? null;
  await containerFor(trx, user, { organization, parent });
  if (body.template && body.computedSource) {
    throw fieldInvalid('computedSource', 'cannot be combined with a template');
  }
  const now = clock();
  const [id, revision] = [makeId('spc'), makeId('rev')];
  await trx
    .insertInto('spaces')
    .values({
      id,
      organization,
      parent,
      title: body.title ?? 'Untitled',
      emoji: body.emoji ?? null,
      icon: null,
      editMode: body.editMode ?? 'live',
      language: body.language ?? null,
      defaultLevel: null,
      position: await endOf(trx, { organization, parent }),
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      deletedAt: null,
      deletedBy: null,
      revision,
      searchedRevision: body.template || body.computedSource ? null : revision,
      searchedEntries: null,
      git: null,
      computedSource: body.computedSource ? writeJson<unknown>(body.computedSource) : null,
      template: null,
    })
    .execute();
  const facts = { id: revision, organization, space: id, createdBy: user, now };
  if (body.computedSource) {
    const change = { computed: body.computedSource };
    await writeRevision(trx, { ...facts, type: 'computed', parents: [], base: null, change });
    await enqueueIndexing(trx, services, { id, organization });
  } else if (body.template) {
    await startFromTemplate(trx, services, facts, body.template);
    await enqueueIndexing(trx, services, { id, organization });
  } else {
    await writeRevision(trx, { ...facts, type: 'edits', parents: [], base: null, change: {} });
  }
  return id;
}

async function startFromTemplate(
  trx: Transaction,
  { makeId }: Services,
  facts: Omit<RevisionFacts, 'type' | 'parents'>,
  template: components['schemas']['TemplateChoice'],
): Promise<void> {
  const { organization, now } = facts;
  const empty = new Content(EMPTY, objectLoader(trx, organization));
  const change = await applyTemplate(empty, template, { now, makeId, field: 'template.' });
  if (change) {
    await putBlobs(trx, organization, change.bytes);
  }
  await writeRevision(trx, { ...facts, type: 'edits', parents: [], base: null, change: change ?? {} });
}

/**
 * Creates a space with the same content at the end of the same parent, without history, change requests, grants or Git
 * information, and returns its ID. Writes only a few rows, regardless of the amount of content.
 */
export async function duplicateSpace(
  trx: Transaction,
  services: Services,
  user: CallerId,
  id: string,
): Promise<string> {
  const { row } = await spaceFor(trx, user, id, 'view');
  await containerFor(trx, user, row);
  const source = await requireRevision(trx, id, row.revision);
  const { clock, makeId } = services;
  const now = clock();
  const [copy, revision] = [makeId('spc'), makeId('rev')];
  await trx
    .insertInto('spaces')
    .values({
      ...row,
      id: copy,
      position: await endOf(trx, row),
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      revision,
      searchedRevision: null,
      searchedEntries: null,
      git: null,
    })
    .execute();
  const { organization } = row;
  await copyRevision(trx, source, { id: revision, organization, space: copy, createdBy: user, now });
  await enqueueIndexing(trx, services, { id: copy, organization });
  return copy;
}
