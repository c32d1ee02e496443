import type { CreateId } from '../../database/seams.ts';
import { fieldInvalid } from '../../errors/errors.ts';
import type { NamedIds } from './addresses.ts';
import type { Edit } from './types.ts';

/** Names that edits assign to the resources they create, with their IDs. */
export class Names implements NamedIds {
  readonly pages = new Map<string, string>();
  readonly files = new Map<string, string>();
  readonly #created = new Set<string>();

  /** @throws ContractError 400 or 409 if two resources have the same name */
  constructor(edits: readonly Edit[], createId: CreateId, pathOf: (at: number) => string) {
    const add = (ids: Map<string, string>, ref: string | undefined, prefix: string, path: string) => {
      if (ref === undefined) {
        return;
      }
      if (this.pages.has(ref) || this.files.has(ref)) {
        throw fieldInvalid(`${path}.ref`, 'must be unique: an earlier change of the request uses the name');
      }
      ids.set(ref, createId(prefix));
    };
    edits.forEach((edit, at) => {
      if (edit.operation === 'insert_page') {
        add(this.pages, edit.ref, 'page', pathOf(at));
      }
      if (edit.operation === 'insert_files') {
        edit.files.forEach(({ ref }, index) => {
          add(this.files, ref, 'file', `${pathOf(at)}.files.${index}`);
        });
      }
    });
  }

  /** Marks a named resource as created and returns its ID. */
  make(kind: keyof NamedIds, ref: string | undefined): string | undefined {
    if (ref === undefined) {
      return undefined;
    }
    this.#created.add(ref);
    return this[kind].get(ref);
  }

  /**
   * Returns the ID of a page from its ID or the name that an earlier edit assigned.
   *
   * @throws ContractError 400 or 409 for the name of a file, or of a page that is not created yet
   */
  pageId(handle: string, path: string): string {
    if (this.files.has(handle)) {
      throw fieldInvalid(path, 'must name a page, not a file');
    }
    const id = this.pages.get(handle);
    if (id !== undefined && !this.#created.has(handle)) {
      throw fieldInvalid(
        path,
        'must name a page that exists: a later change of the request creates this page',
      );
    }
    return id ?? handle;
  }
}
