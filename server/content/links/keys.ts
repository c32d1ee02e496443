/**
 * The keys of the link index: what an address wants, in words that stay the same when pages come, go or move. What
 * it leads to is found out when it is read, so that a link is whole or broken at once.
 */
import { pageKey } from '../tree/records.ts';
import type { Address } from './address.ts';
import { reusableKey } from './places.ts';
import type { Relation } from './references.ts';

/** What holds a link: a page, a reusable content, or the space, where all of it is computed. */
export type Source =
  | { kind: 'page'; id: string }
  | { kind: 'reusable-content'; id: string }
  | { kind: 'space' };

/** One place that links: what holds the link, and the anchor that the address goes on with. */
export interface LinkEnd {
  source: Source;
  anchor?: string;
}

const SEPARATOR = ' ';

/** The key of an address without its anchor; undefined for one that says nothing where it stands. */
export function linkKey(relation: Relation, address: Address, source: Source): string | undefined {
  const key = addressKey(address, source);
  return key === undefined ? undefined : `${relation}${SEPARATOR}${key}`;
}

function addressKey(address: Address, source: Source): string | undefined {
  switch (address.kind) {
    case 'anchor':
      return source.kind === 'page' ? `page ${source.id}` : undefined;
    case 'outside':
      return `url ${address.url}`;
    case 'path':
      return `path ${address.path.normalize('NFC')}`;
    case 'nowhere':
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

/** What a key stands for. */
export function readKey(key: string): { relation: Relation; address: Address } {
  const [, relation, kind = '', rest = ''] = /^(reference|dependsOn) (\S+) (.*)$/s.exec(key) ?? [];
  return { relation: relation === 'dependsOn' ? 'dependsOn' : 'reference', address: readAddress(kind, rest) };
}

function readAddress(kind: string, rest: string): Address {
  const [, space, id = rest] = /^([^/]*)\/(.*)$/s.exec(rest) ?? [];
  switch (kind) {
    case 'url':
      return { kind: 'outside', url: rest };
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
      return { kind: 'nowhere', written: rest };
  }
}

/** How the index lists a place that links. */
export function writeEnd({ source, anchor }: LinkEnd): string {
  return `${sourceName(source)}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** How the index names what holds a link. */
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

/** Reads what {@link writeEnd} wrote. */
export function readEnd(text: string): LinkEnd {
  const [, letter, id = '', anchor] = /^([prs]):([^#]*)(?:#(.*))?$/s.exec(text) ?? [];
  const end = anchor === undefined ? {} : { anchor };
  if (letter === 's') return { source: { kind: 'space' }, ...end };
  return { source: { kind: letter === 'r' ? 'reusable-content' : 'page', id }, ...end };
}
