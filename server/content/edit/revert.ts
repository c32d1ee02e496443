import { fieldInvalid } from '../../errors/errors.ts';
import { asIds, type Content } from '../tree/content.ts';
import { childrenKey, type PageRecord, slugOf } from '../tree/records.ts';
import { freeSlug } from '../tree/slugs.ts';
import { get } from '../tree/trie.ts';
import type { ContentDraft } from './draft.ts';
import type { EditContext, RevertPage } from './types.ts';

/**
 * Reverts a page to a revision: its text, settings and position. A deleted page is restored with those descendants
 * that do not exist either; a page that the revision does not have is deleted.
 *
 * @throws ContractError 400 or 409 if neither the content nor the revision has the page, or the revision does not
 *   exist
 */
export async function revertPage(
  draft: ContentDraft,
  { page: id, revision }: RevertPage,
  path: string,
  context: EditContext,
): Promise<void> {
  const content = await context.revision?.(revision);
  if (!content) {
    throw fieldInvalid(`${path}.revision`, 'must be the ID of a revision of the space');
  }
  const [current, previous] = [await draft.page(id), (await content.readPages([id])).get(id)];
  if (previous) {
    await new Reverter(draft, content).restore(previous, current);
  } else if (current) {
    await draft.remove(current);
  } else {
    throw fieldInvalid(`${path}.page`, 'must be the ID of a page of the content or the revision');
  }
}

class Reverter {
  readonly #draft: ContentDraft;
  readonly #revision: Content;

  constructor(draft: ContentDraft, content: Content) {
    this.#draft = draft;
    this.#revision = content;
  }

  async restore(previous: PageRecord, current: PageRecord | undefined): Promise<void> {
    const parent = await this.#parent(previous, current);
    const page = await withFreeSlug(this.#draft, { ...previous, parent });
    const at = parent === previous.parent ? await this.#position(previous) : undefined;
    await this.#draft.revert(page, previous, at);
    if (!current) {
      await this.#restoreDescendants(previous.id);
    }
  }

  /** Returns the previous parent if it can have the page as a child; else the current parent, or the top level. */
  async #parent(previous: PageRecord, current: PageRecord | undefined): Promise<string | null> {
    if (previous.parent === null) {
      return null;
    }
    const parent = await this.#draft.page(previous.parent);
    const canHavePages = parent?.type === 'document' || parent?.type === 'group';
    if (canHavePages && !(await this.#draft.isWithin(parent.id, previous.id))) {
      return parent.id;
    }
    return current?.parent ?? null;
  }

  /**
   * Returns the position after the nearest sibling that preceded it in the revision; without one, before the nearest
   * that followed it.
   */
  async #position({ id, parent }: PageRecord): Promise<number | undefined> {
    const siblings = (await this.#draft.childrenOf(parent)).filter((sibling) => sibling !== id);
    const positions = new Map(siblings.map((sibling, at) => [sibling, at]));
    const children = await this.#previousChildren(parent);
    const previousIndex = children.indexOf(id);
    const before = children.slice(0, previousIndex).findLast((sibling) => positions.has(sibling));
    if (before !== undefined) {
      return (positions.get(before) ?? 0) + 1;
    }
    return positions.get(children.slice(previousIndex + 1).find((sibling) => positions.has(sibling)) ?? '');
  }

  /** Restores the descendants of a page that were deleted with it. */
  async #restoreDescendants(id: string): Promise<void> {
    for (const previous of (await this.#revision.readPages(await this.#previousChildren(id))).values()) {
      if (await this.#draft.page(previous.id)) {
        continue;
      }
      await this.#draft.revert(await withFreeSlug(this.#draft, previous), previous);
      await this.#restoreDescendants(previous.id);
    }
  }

  async #previousChildren(parent: string | null): Promise<string[]> {
    const { roots, load } = this.#revision;
    const key = childrenKey(parent);
    return asIds((await get(roots.pages, [key], load)).get(key));
  }
}

/** Changes the slug of a page if a sibling uses it. Pages without a slug are unchanged. */
async function withFreeSlug(draft: ContentDraft, page: PageRecord): Promise<PageRecord> {
  const slug = slugOf(page);
  if (slug === undefined || (page.type !== 'document' && page.type !== 'group')) {
    return page;
  }
  return { ...page, slug: freeSlug(slug, await draft.childSlugs(page.parent, page.id)) };
}
