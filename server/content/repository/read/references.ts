import type { components } from '../../../../generated/schema.d.ts';
import { AT_ROOT, parseAddress } from '../../links/address.ts';
import type { ImportedCover, ImportedReference } from '../types.ts';

type Schemas = components['schemas'];

/** The longest address that the contract lets a reference hold. */
const LONGEST_ADDRESS = 2048;

/** The ids of what an import brings, by the paths in the repository. */
export interface Places {
  pages: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, string>;
}

/** What a link of the tree leads to; a path that the repository lacks stays as it was written. */
export function linkTarget(reference: ImportedReference, places: Places): Schemas['ContentRef'] {
  if (reference.kind === 'url') return refOf(reference.url);
  const page = places.pages.get(reference.path);
  if (page !== undefined) return { kind: 'page', page };
  const file = places.files.get(reference.path);
  return file === undefined ? address(reference.path) : { kind: 'file', file };
}

/** What an address with an id of this service names; any other is itself. */
function refOf(url: string): Schemas['ContentRef'] {
  const found = parseAddress(url, AT_ROOT);
  switch (found.kind) {
    case 'page': {
      const { anchor, page, space } = found;
      const where = { page, ...(space !== undefined && { space }) };
      return anchor === undefined ? { kind: 'page', ...where } : { kind: 'anchor', anchor, ...where };
    }
    case 'file':
    case 'space':
    case 'user':
    case 'collection':
    case 'reusable-content':
    case 'openapi':
      return found;
    default:
      return address(url);
  }
}

/** The image above a page; images that the repository lacks are left out. */
export function pageCover(cover: ImportedCover, places: Places): Schemas['PageCover'] {
  const ref = coverImage(cover.ref, places);
  const refDark = cover.refDark && coverImage(cover.refDark, places);
  return { ...(ref && { ref }), ...(refDark && { refDark }), yPos: cover.yPos };
}

function coverImage(reference: ImportedReference, places: Places): Schemas['CoverRef'] | undefined {
  if (reference.kind === 'url') return address(reference.url);
  const file = places.files.get(reference.path);
  return file === undefined ? undefined : { kind: 'file', file };
}

function address(url: string): Schemas['UrlRef'] {
  return { kind: 'url', url: url.slice(0, LONGEST_ADDRESS) };
}
