import type { components } from '../../../../generated/schema.d.ts';
import { AT_ROOT, parseAddress } from '../../links/address.ts';
import type { ImportedCover, ImportedReference, ImportedTarget } from '../types.ts';

type Schemas = components['schemas'];

/** Maximum length of a URL in a reference of the contract. */
const MAX_URL_CHARACTERS = 2048;

/** The IDs of imported entities by path in the repository. */
export interface ImportedIds {
  pages: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, string>;
}

/** Returns the target of a link in the tree; a path that does not exist in the repository is left as written. */
export function linkTarget(target: ImportedTarget, ids: ImportedIds): Schemas['ContentRef'] {
  if (target.kind === 'url') {
    return refOf(target.url);
  }
  const page = ids.pages.get(target.path);
  if (page !== undefined) {
    return target.kind === 'page' && target.anchor !== undefined
      ? { kind: 'anchor', page, anchor: target.anchor.slice(0, MAX_URL_CHARACTERS) }
      : { kind: 'page', page };
  }
  const file = ids.files.get(target.path);
  return file === undefined ? address(target.path) : { kind: 'file', file };
}

/** Returns the reference for a URL with an ID of this service; any other URL is itself the reference. */
function refOf(url: string): Schemas['ContentRef'] {
  const ref = parseAddress(url, AT_ROOT);
  switch (ref.kind) {
    case 'page': {
      const { anchor, page, space } = ref;
      const target = { page, ...(space !== undefined && { space }) };
      return anchor === undefined ? { kind: 'page', ...target } : { kind: 'anchor', anchor, ...target };
    }
    case 'file':
    case 'space':
    case 'user':
    case 'collection':
    case 'reusable-content':
    case 'openapi':
      return ref;
    default:
      return address(url);
  }
}

/** Returns the cover of a page; images that do not exist in the repository are omitted. */
export function pageCover(cover: ImportedCover, ids: ImportedIds): Schemas['PageCover'] {
  const ref = coverImage(cover.ref, ids);
  const refDark = cover.refDark && coverImage(cover.refDark, ids);
  return { ...(ref && { ref }), ...(refDark && { refDark }), yPos: cover.yPos };
}

function coverImage(reference: ImportedReference, ids: ImportedIds): Schemas['CoverRef'] | undefined {
  if (reference.kind === 'url') {
    return address(reference.url);
  }
  const file = ids.files.get(reference.path);
  return file === undefined ? undefined : { kind: 'file', file };
}

function address(url: string): Schemas['UrlRef'] {
  return { kind: 'url', url: url.slice(0, MAX_URL_CHARACTERS) };
}
