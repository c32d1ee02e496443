import { planContent } from '../../../content/edit/plan-content.ts';
import { parseMarkdown } from '../../../content/markdown/markdown.ts';
import { objectBatches, objectLoader, storeObjects } from '../../../content/store/objects.ts';
import type { ContentChange, PlannedContent } from '../../../content/tree/change.ts';
import { type Content, contentAt } from '../../../content/tree/content.ts';
import { type ContentObject, textObject } from '../../../content/tree/objects.ts';
import { type PageRecord, type ReusableRecord, walk } from '../../../content/tree/records.ts';
import { batches } from '../../../database/batches.ts';
import { revisionTransfer } from '../../content/revisions/transfer.ts';
import { addReferring } from './content.ts';
import { rowBatches } from './examine.ts';
import type { Replacements } from './replacements.ts';
import type { ImportServices } from './services.ts';

/** What the replacement of content has changed. */
export interface ReplacedContent {
  /** Hashes of the roots of content, by those that they had. */
  roots: ReadonlyMap<string, string>;
  /** Keys of blocks, which depend on their texts, by those that they had. */
  blockKeys: ReadonlyMap<string, string>;
}

export const NOTHING_REPLACED: ReplacedContent = { roots: new Map(), blockKeys: new Map() };

/** Pages whose texts are in memory at a time. */
const BATCH_PAGES = 64;

/**
 * Replaces IDs and URLs in the content of all revisions, such as in links to other spaces. Pages and files keep their
 * IDs, which identify them within their space.
 *
 * @param affected hashes of the objects to replace something in
 */
export async function replaceInContent(
  { database, signal }: ImportServices,
  { folder, organization, affected }: { folder: string; organization: string; affected: Set<string> },
  replacements: Replacements,
): Promise<ReplacedContent> {
  if (affected.size === 0) {
    return NOTHING_REPLACED;
  }
  const roots = new Map<string, string>();
  const replacing: Replacing = { replacements, blockKeys: new Map(), texts: new Set() };
  await addReferring(folder, affected);
  for await (const rows of rowBatches(folder, revisionTransfer)) {
    for (const root of new Set(rows.map((row) => String(row.root)))) {
      signal?.throwIfAborted();
      if (roots.has(root) || !affected.has(root)) {
        continue;
      }
      const load = objectLoader(database.query, organization);
      const planned = await planReplacement(await contentAt(root, load), root, replacing);
      for (const objects of objectBatches(planned.objects)) {
        await database.transaction((trx) => storeObjects(trx, organization, objects));
      }
      roots.set(root, planned.root);
    }
  }
  return { roots, blockKeys: replacing.blockKeys };
}

interface Replacing {
  replacements: Replacements;
  blockKeys: Map<string, string>;
  /** Hashes of the texts whose blocks are known. */
  texts: Set<string>;
}

async function planReplacement(
  content: Content,
  root: string,
  { replacements, blockKeys, texts: known }: Replacing,
): Promise<PlannedContent> {
  const records = [...walk(await content.readTree())].map(({ record }) => record);
  const reusables = await content.readReusableContents();
  const texts: ContentObject[] = [];
  const bodies = new Map<string, string>();
  for (const batch of batches([...records, ...reusables], BATCH_PAGES)) {
    for (const [id, text] of await content.readBodies(batch)) {
      if (replacements.isIn(text)) {
        const object = textObject(replacements.replace(text));
        texts.push(object);
        if (!known.has(object.hash)) {
          known.add(object.hash);
          addBlockKeys(blockKeys, text, object.data);
        }
        bodies.set(id, object.hash);
      }
    }
  }
  const replace = <Record extends PageRecord | ReusableRecord>(record: Record): Record => {
    const body = bodies.get(record.id);
    return replaceIn(body === undefined ? record : { ...record, body }, replacements);
  };
  const isChanged = (record: PageRecord | ReusableRecord) =>
    bodies.has(record.id) || replacements.isIn(JSON.stringify(record));
  const changed = records.filter(isChanged);
  const [variables, computed] = [await content.readVariables(), await content.readComputed()];
  const change: ContentChange = {
    pages: new Map(changed.map((record) => [record.id, replace(record)])),
    ...(reusables.some(isChanged) && { reusableContents: reusables.map(replace) }),
    ...(replacements.isIn(JSON.stringify(variables)) && { variables: replaceIn(variables, replacements) }),
    ...(computed && { computed: replaceIn(computed, replacements) }),
    texts,
  };
  return await planContent(root, change, content.load);
}

/** Adds the keys of blocks that a replacement changes: blocks with the same content have the same key everywhere. */
function addBlockKeys(blockKeys: Map<string, string>, before: string, after: string): void {
  const [former, current] = [keysIn(parseMarkdown(before)), keysIn(parseMarkdown(after))];
  if (former.length === current.length) {
    for (const [index, key] of former.entries()) {
      const replaced = current[index] ?? key;
      if (replaced !== key) {
        blockKeys.set(key, replaced);
      }
    }
  }
}

/** Lists the keys of the blocks of a document, at any depth. */
function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const keys = Object.values(value).flatMap(keysIn);
  return 'object' in value && value.object === 'block' && 'key' in value
    ? [String(value.key), ...keys]
    : keys;
}

/** Replaces IDs and URLs in a value. */
function replaceIn<Value>(value: Value, replacements: Replacements): Value {
  // Texts in it are replaced by texts, and nothing else is changed.
  return JSON.parse(replacements.replace(JSON.stringify(value))) as Value;
}
