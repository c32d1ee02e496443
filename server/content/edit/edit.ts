import type { CreateId } from '../../database/seams.ts';
import { fieldInvalid, pageCycle, pageSlugTaken, positionOutOfRange } from '../../errors/errors.ts';
import { containsConditionTag } from '../expressions/condition-tags.ts';
import { Content } from '../tree/content.ts';
import { storableText } from '../tree/hash.ts';
import type { DocumentRecord, PageRecord } from '../tree/records.ts';
import { freeSlug, slugify, slugKey } from '../tree/slugs.ts';
import { withIds } from './addresses.ts';
import { ContentDraft } from './draft.ts';
import { fileOf } from './files.ts';
import { Names } from './names.ts';
import { revertPage } from './revert.ts';
import type { DeletePage, Edit, EditContext, InsertPage, PlannedEdits, UpdatePage } from './types.ts';

/**
 * Plans the changes of edits, applied in order, all or none. Stores nothing, and loads only the content that the edits
 * refer to. Returns undefined if they change nothing.
 *
 * @throws ContractError 400 or 409 for the first invalid edit
 */
export async function planEdits(
  content: Content,
  edits: readonly Edit[],
  context: EditContext,
): Promise<PlannedEdits | undefined> {
  const pathOf = (at: number) => `${context.at ?? 'changes'}.${at}`;
  // Pages computed on read cannot be edited.
  const draft = new ContentDraft(new Content(content.roots, content.load));
  const names = new Names(edits, context.createId, pathOf);
  const editor = new Editor(draft, names, context.createId);
  for (const [at, edit] of edits.entries()) {
    const path = pathOf(at);
    switch (edit.operation) {
      case 'insert_page':
        await editor.insert(edit, path);
        break;
      case 'insert_computed': {
        const { title, computed } = edit;
        await draft.put({ type: 'computed', id: context.createId('page'), parent: null, title, computed });
        break;
      }
      case 'update_page':
        await editor.update(edit, path);
        break;
      case 'delete_page':
        await editor.remove(edit, path);
        break;
      case 'revert_page':
        await revertPage(draft, edit, path, context);
        break;
      case 'insert_files':
        for (const file of edit.files) {
          const id = names.make('files', file.ref) ?? context.createId('file');
          draft.addFile(fileOf(file, id, context.now), 'bytes' in file ? file.bytes : undefined);
        }
    }
  }
  return draft.changes(context.now.toISOString());
}

class Editor {
  readonly #draft: ContentDraft;
  readonly #names: Names;
  readonly #createId: CreateId;

  constructor(draft: ContentDraft, names: Names, createId: CreateId) {
    this.#draft = draft;
    this.#names = names;
    this.#createId = createId;
  }

  async insert(edit: InsertPage, path: string): Promise<void> {
    const parent = await this.#parent(edit.into ?? null, path);
    const title = titleOf(edit.title ?? 'Untitled', path);
    const page: DocumentRecord = {
      type: 'document',
      id: this.#names.make('pages', edit.ref) ?? this.#createId('page'),
      parent,
      title,
      slug: await this.#slug(parent, edit.slug, slugify(title), path),
      ...edit.settings,
      documentId: this.#createId('doc'),
      body: this.#text(edit.markdown),
    };
    await this.#draft.put(page, await this.#position(page, edit.at, path));
  }

  async update(edit: UpdatePage, path: string): Promise<void> {
    const before = await this.#page(edit.page, `${path}.page`);
    const page: PageRecord = { ...before };
    if (edit.title !== undefined) {
      page.title = titleOf(edit.title, path);
    }
    if (edit.markdown !== undefined) {
      if (page.type !== 'document' || page.body === undefined) {
        throw fieldInvalid(`${path}.document`, 'is not allowed: the page has no document');
      }
      const { markdown } = edit;
      const { content } = this.#draft;
      const text =
        typeof markdown === 'string'
          ? markdown
          : await markdown({ markdown: await this.#draft.bodyOf(page), page: page.id, content });
      page.body = this.#text(text);
    }
    if (edit.into !== undefined) {
      page.parent = await this.#parent(edit.into, path);
      if (page.parent !== null && (await this.#draft.isWithin(page.parent, page.id))) {
        throw pageCycle(`${path}.into`);
      }
    }
    if (page.type === 'document' || page.type === 'group') {
      if (edit.slug !== undefined || page.parent !== before.parent) {
        page.slug = await this.#slug(page.parent, edit.slug, page.slug, path, page.id);
      }
    } else if (edit.slug !== undefined) {
      throw fieldInvalid(`${path}.slug`, 'is not allowed: the page has no path');
    }
    const moves = edit.into !== undefined || edit.at !== undefined;
    await this.#draft.put(page, moves ? await this.#position(page, edit.at, path) : undefined);
  }

  async remove(edit: DeletePage, path: string): Promise<void> {
    await this.#draft.remove(await this.#page(edit.page, `${path}.page`));
  }

  #text(markdown: string): string {
    return this.#draft.addText(storableText(withIds(markdown, this.#names)));
  }

  async #page(handle: string, path: string): Promise<PageRecord> {
    const page = await this.#draft.page(this.#names.pageId(handle, path));
    if (!page) {
      throw fieldInvalid(path, 'must be the ID of a page of the content');
    }
    return page;
  }

  /** Returns the ID of `into` if that page can have subpages. */
  async #parent(into: string | null, path: string): Promise<string | null> {
    if (into === null) {
      return null;
    }
    const { id, type } = await this.#page(into, `${path}.into`);
    if (type === 'document' || type === 'group') {
      return id;
    }
    throw fieldInvalid(`${path}.into`, `must name a document or a group: a ${type} page has no subpages`);
  }

  /** Returns the position among the children of the parent, not counting the page itself. */
  async #position({ id, parent }: PageRecord, at: number | undefined, path: string): Promise<number> {
    const siblings = (await this.#draft.childrenOf(parent)).filter((sibling) => sibling !== id);
    if (at !== undefined && at > siblings.length) {
      throw positionOutOfRange(`${path}.at`, siblings.length);
    }
    return at ?? siblings.length;
  }

  /** Returns the requested slug, or a unique form of the default. */
  async #slug(
    parent: string | null,
    requested: string | undefined,
    preferred: string,
    path: string,
    id?: string,
  ): Promise<string> {
    const used = await this.#draft.childSlugs(parent, id);
    if (requested === undefined) {
      return freeSlug(preferred, used);
    }
    const slug = storableText(requested);
    if (used.has(slugKey(slug))) {
      throw pageSlugTaken(`${path}.slug`);
    }
    return slug;
  }
}

/** Returns a title to store. All visitors have the same page tree, so that titles contain no conditions. */
function titleOf(title: string, path: string): string {
  if (containsConditionTag(title)) {
    throw fieldInvalid(`${path}.title`, 'must not contain a condition: titles are the same for all visitors');
  }
  return storableText(title);
}
