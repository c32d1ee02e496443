import { planContent } from '../../../content/edit/plan-content.ts';
import { objectBatches, objectLoader, storeObjects } from '../../../content/store/objects.ts';
import type { ContentChange, PlannedContent } from '../../../content/tree/change.ts';
import { type Content, contentAt } from '../../../content/tree/content.ts';
import { type ContentObject, textObject } from '../../../content/tree/objects.ts';
import { type PageRecord, type ReusableRecord, walk } from '../../../content/tree/records.ts';
import { batches } from '../../../database/batches.ts';
import { revisionTransfer } from '../../content/revisions/transfer.ts';
import { rowBatches } from './examine.ts';
import type { Identifiers } from './identifiers.ts';
import type { ImportServices } from './services.ts';

/** Pages whose texts are in memory at a time. */
const BATCH_PAGES = 64;

/**
 * Replaces the IDs in the content of all revisions, such as in links to other spaces. Pages and files keep their IDs,
 * which identify them within their space.
 *
 * @returns the hashes of the new content, by those of the content that it replaces
 */
export async function replaceIds(
  { database, signal }: ImportServices,
  folder: string,
  organization: string,
  identifiers: Identifiers,
): Promise<Map<string, string>> {
  const replaced = new Map<string, string>();
  for await (const rows of rowBatches(folder, revisionTransfer)) {
    for (const root of new Set(rows.map((row) => String(row.root)))) {
      signal?.throwIfAborted();
      if (replaced.has(root)) {
        continue;
      }
      const load = objectLoader(database.query, organization);
      const planned = await planReplacement(await contentAt(root, load), root, identifiers);
      for (const objects of objectBatches(planned.objects)) {
        await database.transaction((trx) => storeObjects(trx, organization, objects));
      }
      replaced.set(root, planned.root);
    }
  }
  return replaced;
}

async function planReplacement(
  content: Content,
  root: string,
  identifiers: Identifiers,
): Promise<PlannedContent> {
  const records = [...walk(await content.readTree())].map(({ record }) => record);
  const reusables = await content.readReusableContents();
  const texts: ContentObject[] = [];
  const bodies = new Map<string, string>();
  for (const batch of batches([...records, ...reusables], BATCH_PAGES)) {
    for (const [id, text] of await content.readBodies(batch)) {
      if (identifiers.isIn(text)) {
        const object = textObject(identifiers.replace(text));
        texts.push(object);
        bodies.set(id, object.hash);
      }
    }
  }
  const replace = <Record extends PageRecord | ReusableRecord>(record: Record): Record => {
    const body = bodies.get(record.id);
    return replaceIn(body === undefined ? record : { ...record, body }, identifiers);
  };
  const isChanged = (record: PageRecord | ReusableRecord) =>
    bodies.has(record.id) || identifiers.isIn(JSON.stringify(record));
  const changed = records.filter(isChanged);
  const [variables, computed] = [await content.readVariables(), await content.readComputed()];
  const change: ContentChange = {
    pages: new Map(changed.map((record) => [record.id, replace(record)])),
    ...(reusables.some(isChanged) && { reusableContents: reusables.map(replace) }),
    ...(identifiers.isIn(JSON.stringify(variables)) && { variables: replaceIn(variables, identifiers) }),
    ...(computed && { computed: replaceIn(computed, identifiers) }),
    texts,
  };
  const isSame =
    Object.keys(change).every((name) => name === 'pages' || name === 'texts') && changed.length === 0;
  return isSame ? { root, objects: [] } : await planContent(root, change, content.load);
}

/** Replaces the IDs in a value. */
function replaceIn<Value>(value: Value, identifiers: Identifiers): Value {
  // Texts in it are replaced by texts, and nothing else is changed.
  return JSON.parse(identifiers.replace(JSON.stringify(value))) as Value;
}
