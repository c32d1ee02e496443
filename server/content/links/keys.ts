/**
 * Keys of the link index. A key describes a destination independently of page creations, moves and deletions. Links are
 * resolved when they are read, so their status is always current.
 */
import { pageKey } from '../tree/records.ts';
import type { Address } from './address.ts';
import { reusableKey } from './locations.ts';
import type { Relation } from './references.ts';

/** Container of a link: a page, a reusable content, or the space for entirely computed content. */
export type Source =
  | { kind: 'page'; id: string }
  | { kind: 'reusable-content'; id: string }
  | { kind: 'space' };

/** A link source: its container, and the anchor of the destination. */
export interface LinkEnd {
  source: Source;
  anchor?: string;
}

const SEPARATOR = ' ';

/** Key of the list of all sources that include files, and first word of the keys of these by the path of the file. */
export const INCLUDES_KEY = 'include';

/** Returns the key of the sources that include the file at a path. */
export const includeKey = (path: string): string => `${INCLUDES_KEY}${SEPARATOR}${path.normalize('NFC')}`;

/** Whether a key of the index is that of a link. */
export const isLinkKey = (key: string): boolean =>
  key !== INCLUDES_KEY && !key.startsWith(`${INCLUDES_KEY}${SEPARATOR}`);

/** Returns the key of a destination without its anchor; undefined if it has no meaning in this source. */
export function linkKey(relation: Relation, address: Address, source: Source): string | undefined {
  const isDependency = relation === 'dependsOn' && address.kind === 'openapi';
  const key = isDependency ? `openapi ${slugOrId(address.spec)}` : addressKey(address, source);
  return key === undefined ? undefined : `${relation}${SEPARATOR}${key}`;
}

/** Names of specifications are compared without case. IDs contain an underscore, which slugs do not. */
const slugOrId = (spec: string): string => (spec.includes('_') ? spec : spec.toLowerCase());

function addressKey(address: Address, source: Source): string | undefined {
  switch (address.kind) {
    case 'anchor':
      return source.kind === 'page' ? `page ${source.id}` : undefined;
    case 'url':
      return `url ${address.url}`;
    case 'path':
      return `path ${address.path.normalize('NFC')}`;
    case 'invalid':
      return `nowhere ${address.written}`;
    case 'page':
      return `page ${inSpace(address.space, address.page)}`;
    case 'reusable-content':
      return `reusable-content ${inSpace(address.space, address.reusableContent)}`;
    case 'file':
      return `file ${address.file}`;
    case 'space':
      return `space ${address.space}`;
    case 'user':
      return `user ${address.user}`;
    case 'collection':
      return `collection ${address.collection}`;
    case 'openapi':
      return `openapi ${address.spec}`;
    case 'translation':
      return `translation ${address.translation}`;
  }
}

const inSpace = (space: string | undefined, id: string): string =>
  space === undefined ? id : `${space}/${id}`;

/** Parses a key. */
export function readKey(key: string): { relation: Relation; address: Address } {
  const [, relation, kind = '', rest = ''] = /^(reference|dependsOn) (\S+) (.*)$/s.exec(key) ?? [];
  return { relation: relation === 'dependsOn' ? 'dependsOn' : 'reference', address: readAddress(kind, rest) };
}

function readAddress(kind: string, rest: string): Address {
  const [, space, id = rest] = /^([^/]*)\/(.*)$/s.exec(rest) ?? [];
  switch (kind) {
    case 'url':
      return { kind: 'url', url: rest };
    case 'path':
      return { kind, path: rest };
    case 'page':
      return { kind, page: id, ...(space !== undefined && { space }) };
    case 'reusable-content':
      return { kind, reusableContent: id, ...(space !== undefined && { space }) };
    case 'file':
      return { kind, file: rest };
    case 'space':
      return { kind, space: rest };
    case 'user':
      return { kind, user: rest };
    case 'collection':
      return { kind, collection: rest };
    case 'openapi':
      return { kind, spec: rest };
    case 'translation':
      return { kind, translation: rest };
    default:
      return { kind: 'invalid', written: rest };
  }
}

/** Formats a link source for the index. */
export function writeEnd({ source, anchor }: LinkEnd): string {
  return `${sourceName(source)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Formats the container of a link for the index. */
export function sourceName(source: Source): string {
  switch (source.kind) {
    case 'page':
      return pageKey(source.id);
    case 'reusable-content':
      return reusableKey(source.id);
    case 'space':
      return 's:';
  }
}

/** Parses the result of {@link writeEnd}. */
export function readEnd(text: string): LinkEnd {
  const [, letter, id = '', anchor] = /^([prs]):([^#]*)(?:#(.*))?$/s.exec(text) ?? [];
  const end = anchor === undefined ? {} : { anchor };
  if (letter === 's') {
    return { source: { kind: 'space' }, ...end };
  }
  return { source: { kind: letter === 'r' ? 'reusable-content' : 'page', id }, ...end };
}
