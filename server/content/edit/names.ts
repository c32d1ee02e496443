import type { MakeId } from '../../database/seams.ts';
import { fieldInvalid } from '../../errors.ts';
import type { NamedIds } from './addresses.ts';
import type { Edit } from './types.ts';

/** The names that edits give to what they make, and the ids that these get. */
export class Names implements NamedIds {
  readonly pages = new Map<string, string>();
  readonly files = new Map<string, string>();
  readonly #made = new Set<string>();

  /** @throws ContractError 400 or 409 where two things have the same name */
  constructor(edits: readonly Edit[], makeId: MakeId, pathOf: (at: number) => string) {
    const add = (ids: Map<string, string>, ref: string | undefined, prefix: string, path: string) => {
      if (ref === undefined) return;
      if (this.pages.has(ref) || this.files.has(ref))
        throw fieldInvalid(`${path}.ref`, 'must be unique: an earlier change of the request uses the name');
      ids.set(ref, makeId(prefix));
    };
    edits.forEach((edit, at) => {
      if (edit.operation === 'insert_page') add(this.pages, edit.ref, 'page', pathOf(at));
      if (edit.operation === 'insert_files')
        edit.files.forEach(({ ref }, index) => {
          add(this.files, ref, 'file', `${pathOf(at)}.files.${index}`);
        });
    });
  }

  /** The id of the thing that gets a name, from now on made. */
  make(kind: keyof NamedIds, ref: string | undefined): string | undefined {
    if (ref === undefined) return undefined;
    this.#made.add(ref);
    return this[kind].get(ref);
  }

  /**
   * The id of a page that is named by it, or by what an earlier edit called the page.
   *
   * @throws ContractError 400 or 409 for the name of a file, or of a page that is not made yet
   */
  pageId(handle: string, path: string): string {
    if (this.files.has(handle)) throw fieldInvalid(path, 'must name a page, not a file');
    const id = this.pages.get(handle);
    if (id !== undefined && !this.#made.has(handle))
      throw fieldInvalid(
        path,
        'must name a page that exists: a later change of the request creates this page',
      );
    return id ?? handle;
  }
}
