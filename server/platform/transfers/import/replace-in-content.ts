import { planContent } from '../../../content/edit/plan-content.ts';
import { parseMarkdown } from '../../../content/markdown/markdown.ts';
import { objectBatches, objectLoader, storeObjects } from '../../../content/store/objects.ts';
import type { ContentChange, PlannedContent } from '../../../content/tree/change.ts';
import { asFile, asIds, asPage, type Content, contentAt } from '../../../content/tree/content.ts';
import { type ContentObject, textObject } from '../../../content/tree/objects.ts';
import { fileKey, type PageRecord, pageKey, type ReusableRecord } from '../../../content/tree/records.ts';
import { diff } from '../../../content/tree/trie-diff.ts';
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
  await addReferring(folder, affected);
  const roots = new Map<string, string>();
  const replacing: Replacing = { replacements, blockKeys: new Map(), texts: new Set() };
  const bases = new Bases();
  for (const revision of await readRevisions(folder)) {
    signal?.throwIfAborted();
    const { root } = revision;
    if (affected.has(root) && !roots.has(root)) {
      const load = objectLoader(database.query, organization);
      const base = bases.of(revision);
      const planned = await planReplacement(
        {
          before: base === undefined ? undefined : await contentAt(base, load),
          after: await contentAt(root, load),
        },
        base === undefined ? null : (roots.get(base) ?? base),
        replacing,
      );
      for (const objects of objectBatches(planned.objects)) {
        await database.transaction((trx) => storeObjects(trx, organization, objects));
      }
      roots.set(root, planned.root);
    }
    bases.add(revision);
  }
  return { roots, blockKeys: replacing.blockKeys };
}

/** A revision, as far as the replacement depends on it. */
interface FormerRevision {
  id: string;
  space: string;
  root: string;
  parents: readonly string[];
  createdAt: string;
}

/** Reads the revisions, oldest first. */
async function readRevisions(folder: string): Promise<FormerRevision[]> {
  const revisions: FormerRevision[] = [];
  for await (const rows of rowBatches(folder, revisionTransfer)) {
    for (const { id, space, root, parents, createdAt } of rows) {
      revisions.push({
        id: String(id),
        space: String(space),
        root: String(root),
        parents: parentsIn(String(parents)),
        createdAt: String(createdAt),
      });
    }
  }
  return revisions.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
}

function parentsIn(parents: string): string[] {
  const ids: unknown = JSON.parse(parents);
  return Array.isArray(ids) ? ids.map(String) : [];
}

/** Finds the content that a revision differs little from, so that only the difference is read. */
class Bases {
  readonly #byRevision = new Map<string, string>();
  readonly #bySpace = new Map<string, string>();

  /** Returns the root of its parent, or else of the revision of the space before it. */
  of({ space, parents }: FormerRevision): string | undefined {
    return parents.map((id) => this.#byRevision.get(id)).find((root) => root) ?? this.#bySpace.get(space);
  }

  add({ id, space, root }: FormerRevision): void {
    this.#byRevision.set(id, root);
    this.#bySpace.set(space, root);
  }
}

interface Replacing {
  replacements: Replacements;
  blockKeys: Map<string, string>;
  /** Hashes of the texts whose blocks are known. */
  texts: Set<string>;
}

/**
 * Plans the replacement of some content.
 *
 * @param base root of the replacement of the content before
 */
async function planReplacement(
  { before, after }: { before: Content | undefined; after: Content },
  base: string | null,
  { replacements, blockKeys, texts: known }: Replacing,
): Promise<PlannedContent> {
  const { load } = after;
  const pages = new Map<string, PageRecord | undefined>();
  const children = new Map<string | null, string[] | undefined>();
  for (const [key, difference] of await diff(before?.roots.pages ?? null, after.roots.pages, load)) {
    const id = key.slice(key.indexOf(':') + 1);
    if (key.startsWith(pageKey(''))) {
      pages.set(id, difference.after === undefined ? undefined : asPage(difference.after));
    } else {
      children.set(
        id === '' ? null : id,
        difference.after === undefined ? undefined : asIds(difference.after),
      );
    }
  }
  const files = await diff(before?.roots.files ?? null, after.roots.files, load);
  const reusables = await after.readReusableContents();
  const texts: ContentObject[] = [];
  const bodies = new Map<string, string>();
  const records = [...pages.values()].filter((record) => record !== undefined);
  for (const batch of batches([...records, ...reusables], BATCH_PAGES)) {
    for (const [id, text] of await after.readBodies(batch)) {
      if (replacements.isIn(text)) {
        const object = textObject(replacements.replace(text));
        texts.push(object);
        bodies.set(id, object.hash);
        if (!known.has(object.hash)) {
          known.add(object.hash);
          addBlockKeys(blockKeys, text, object.data);
        }
      }
    }
  }
  const replace = <Record extends PageRecord | ReusableRecord>(record: Record): Record => {
    const body = bodies.get(record.id);
    return replaceIn(body === undefined ? record : { ...record, body }, replacements);
  };
  const computed = await after.readComputed();
  const change: ContentChange = {
    pages: new Map([...pages].map(([id, record]) => [id, record && replace(record)])),
    children,
    files: new Map(
      [...files].map(([key, { after: file }]) => [
        key.slice(fileKey('').length),
        file === undefined ? undefined : asFile(file),
      ]),
    ),
    reusableContents: reusables.map(replace),
    variables: replaceIn(await after.readVariables(), replacements),
    redirects: await after.readRedirects(),
    computed: computed ? replaceIn(computed, replacements) : null,
    texts,
  };
  return await planContent(base, change, load);
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
