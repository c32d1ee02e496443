import { fieldInvalid } from '../../errors.ts';
import { asIds, type Content } from '../tree/content.ts';
import { childrenKey, type PageRecord, slugOf } from '../tree/records.ts';
import { get } from '../tree/trie.ts';
import type { ContentDraft } from './draft.ts';
import { freeSlug } from './slugs.ts';
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
  facts: EditContext,
): Promise<void> {
  const then = await facts.revision?.(revision);
  if (!then) {
    throw fieldInvalid(`${path}.revision`, 'must be the ID of a revision of the space');
  }
  const [now, was] = [await draft.page(id), (await then.readPages([id])).get(id)];
  if (was) {
    await new Reverter(draft, then).restore(was, now);
  } else if (now) {
    await draft.remove(now);
  } else {
    throw fieldInvalid(`${path}.page`, 'must be the ID of a page of the content or the revision');
  }
}

class Reverter {
  readonly #draft: ContentDraft;
  readonly #then: Content;

  constructor(draft: ContentDraft, then: Content) {
    this.#draft = draft;
    this.#then = then;
  }

  async restore(was: PageRecord, now: PageRecord | undefined): Promise<void> {
    const parent = await this.#parent(was, now);
    const page = await withFreeSlug(this.#draft, { ...was, parent });
    const at = parent === was.parent ? await this.#place(was) : undefined;
    await this.#draft.revert(page, was, at);
    if (!now) {
      await this.#restoreDescendants(was.id);
    }
  }

  /** Returns the old parent if it can have the page as a child; else the current parent, or the top level. */
  async #parent(was: PageRecord, now: PageRecord | undefined): Promise<string | null> {
    if (was.parent === null) {
      return null;
    }
    const parent = await this.#draft.page(was.parent);
    const canHavePages = parent?.type === 'document' || parent?.type === 'group';
    if (canHavePages && !(await this.#draft.isWithin(parent.id, was.id))) {
      return parent.id;
    }
    return now?.parent ?? null;
  }

  /**
   * Returns the position after the nearest preceding sibling of that time; without one, before the nearest following.
   */
  async #place({ id, parent }: PageRecord): Promise<number | undefined> {
    const siblings = (await this.#draft.childrenOf(parent)).filter((sibling) => sibling !== id);
    const places = new Map(siblings.map((sibling, at) => [sibling, at]));
    const then = await this.#childrenThen(parent);
    const own = then.indexOf(id);
    const before = then.slice(0, own).findLast((sibling) => places.has(sibling));
    if (before !== undefined) {
      return (places.get(before) ?? 0) + 1;
    }
    return places.get(then.slice(own + 1).find((sibling) => places.has(sibling)) ?? '');
  }

  /** Restores the descendants of a page that were deleted with it. */
  async #restoreDescendants(id: string): Promise<void> {
    for (const was of (await this.#then.readPages(await this.#childrenThen(id))).values()) {
      if (await this.#draft.page(was.id)) {
        continue;
      }
      await this.#draft.revert(await withFreeSlug(this.#draft, was), was);
      await this.#restoreDescendants(was.id);
    }
  }

  async #childrenThen(parent: string | null): Promise<string[]> {
    const { roots, load } = this.#then;
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
