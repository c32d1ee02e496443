/**
 * Parses link destinations in content, without checking that they exist: the meaning of a destination depends only on
 * its text and on the location of the text that contains it.
 */
import type { components } from '../../../generated/schema.d.ts';
import { decodePath, folderOf, resolvePath } from '../repository/files.ts';
import type { PageRecord, ReusableRecord } from '../tree/records.ts';

type ContentRef = components['schemas']['ContentRef'];
type TranslationRef = components['schemas']['TranslationRef'];

/**
 * A parsed link destination. Paths are relative to the content's root, decoded, without leading or trailing slashes.
 */
export type Address =
  /** A URL with a scheme, or `//host`. */
  | { kind: 'url'; url: string }
  /** A location in the text that contains the link. */
  | { kind: 'anchor'; anchor: string }
  | { kind: 'path'; path: string; anchor?: string }
  | { kind: 'page'; page: string; space?: string; anchor?: string }
  | { kind: 'file'; file: string }
  | { kind: 'space'; space: string }
  | { kind: 'reusable-content'; reusableContent: string; space?: string }
  | { kind: 'user'; user: string }
  | { kind: 'collection'; collection: string }
  | { kind: 'openapi'; spec: string }
  | { kind: 'translation'; translation: string }
  /** A path outside the content, or an invalid destination. */
  | { kind: 'invalid'; written: string };

/** Location of a text, which its relative links are resolved against. */
export interface TextLocation {
  /** Relative to the content's root, including a file name: `guide/setup.md`. */
  path: string;
  /** Root folder of paths with a leading slash; by default the content's root. */
  root?: string;
}

/** Location of links outside any text, such as the target of a link in the page tree. */
export const AT_ROOT: TextLocation = { path: '' };

/**
 * Returns the location of a page's text: its path in the repository that it was imported from, otherwise its own path.
 *
 * @param path the page's path in the space; ignored for a page from a repository
 */
export function locationOfPage(record: PageRecord, path: string): TextLocation {
  const root = record.git && record.type === 'document' ? record.linksRoot : undefined;
  return { path: record.git?.path ?? `${path}.md`, ...(root !== undefined && { root }) };
}

/** Returns the location of a reusable content's text. */
export function locationOfReusable({ linksFrom, linksRoot, git }: ReusableRecord): TextLocation {
  return { path: linksFrom ?? git?.path ?? '', ...(linksRoot !== undefined && { root: linksRoot }) };
}

// RFC 3986, section 3.1. A single letter is the drive of a Windows path.
const SCHEME_PATTERN = /^[a-z][a-z0-9+.-]+:/i;
const DRIVE_PATTERN = /^[a-z]:[\\/]/i;
const STABLE_PATTERN =
  /^\/(?:spaces\/(?<space>spc_\w{1,128})\/?)?(?:(?:(?<=\/)|^\/)(?<kind>pages|files)\/(?<id>(?:page|file)_[\w-]{1,128}))?\/?$/;
/** The printed form of references by ID in documents. */
const REFERENCE_PATTERN =
  /^(page|file|space|user|collection|reusable-content|openapi):([a-zA-Z0-9_-]{1,128})$/;

/** Parses a link destination in the text at a location. */
export function parseAddress(written: string, from: TextLocation): Address {
  const address = written.trim();
  if (address.startsWith('#')) {
    return anchorAddress(address);
  }
  if (address === '' || DRIVE_PATTERN.test(address)) {
    return { kind: 'invalid', written: address };
  }
  const [, main = '', , fragment] = /^([^?#]*)(\?[^#]*)?(?:#(.*))?$/s.exec(address) ?? [];
  const anchor = fragment === undefined || fragment === '' ? {} : { anchor: decoded(fragment) };
  if (SCHEME_PATTERN.test(address) || /^[\\/]{2}/.test(address)) {
    const [, kind, id] = REFERENCE_PATTERN.exec(main) ?? [];
    return kind !== undefined && id !== undefined ? byId(kind, id, anchor) : { kind: 'url', url: address };
  }
  const { space, kind, id } = STABLE_PATTERN.exec(main)?.groups ?? {};
  if (kind === 'pages' && id?.startsWith('page_')) {
    return { kind: 'page', page: id, ...(space !== undefined && { space }), ...anchor };
  }
  if (kind === 'files' && id?.startsWith('file_') && space === undefined) {
    return { kind: 'file', file: id };
  }
  if (space !== undefined && kind === undefined) {
    return { kind: 'space', space };
  }
  const folder = folderOf(from.path);
  const path = main === '' ? from.path : resolvePath(decodePath(main), folder, from.root ?? '');
  return path === undefined ? { kind: 'invalid', written: address } : { kind: 'path', path, ...anchor };
}

const APP_PATTERN = /^\/(user|collection)s\/([a-zA-Z0-9_-]{1,128})\/?(?:[?#].*)?$/s;

/**
 * Parses the URL of a resource in the app; returns undefined for other URLs.
 *
 * @param app URL of the app, without a trailing slash
 */
export function addressInApp(written: string, app: string): Address | undefined {
  const url = written.trim();
  if (!url.startsWith(`${app}/`)) {
    return undefined;
  }
  const path = url.slice(app.length);
  const [, kind, id] = APP_PATTERN.exec(path) ?? [];
  const address = kind !== undefined && id !== undefined ? byId(kind, id, {}) : parseAddress(path, AT_ROOT);
  return address.kind === 'path' || address.kind === 'invalid' ? undefined : address;
}

function anchorAddress(address: string): Address {
  return address === '#'
    ? { kind: 'invalid', written: address }
    : { kind: 'anchor', anchor: decoded(address.slice(1)) };
}

function byId(kind: string, id: string, anchor: { anchor?: string }): Address {
  switch (kind) {
    case 'page':
      return { kind: 'page', page: id, ...anchor };
    case 'file':
      return { kind: 'file', file: id };
    case 'space':
      return { kind: 'space', space: id };
    case 'user':
      return { kind: 'user', user: id };
    case 'collection':
      return { kind: 'collection', collection: id };
    case 'openapi':
      return { kind: 'openapi', spec: id };
    default:
      return { kind: 'reusable-content', reusableContent: id };
  }
}

/** Converts a reference of a document or a record. */
export function addressOfRef(ref: ContentRef | TranslationRef, from: TextLocation): Address {
  switch (ref.kind) {
    case 'url':
      return parseAddress(ref.url, from);
    case 'anchor':
      if (ref.page === undefined) {
        return { kind: 'anchor', anchor: ref.anchor };
      }
      return { ...ref, kind: 'page', page: ref.page };
    default:
      return ref;
  }
}

/** Formats a reference for Markdown, so that it has the same target wherever the text is located. */
export function writeRef(ref: ContentRef): string {
  const inSpace = (space: string | undefined) => (space === undefined ? '' : `/spaces/${space}`);
  switch (ref.kind) {
    case 'url':
      return ref.url;
    case 'page':
      return `${inSpace(ref.space)}/pages/${ref.page}`;
    case 'anchor':
      return ref.page === undefined
        ? `#${ref.anchor}`
        : `${inSpace(ref.space)}/pages/${ref.page}#${ref.anchor}`;
    case 'file':
      return `/files/${ref.file}`;
    case 'space':
      return `/spaces/${ref.space}`;
    case 'user':
      return `user:${ref.user}`;
    case 'collection':
      return `collection:${ref.collection}`;
    case 'reusable-content':
      return `reusable-content:${ref.reusableContent}`;
    case 'openapi':
      return `openapi:${ref.spec}`;
  }
}

/** Formats a destination: a path from the content's root, or as documents refer to a resource. */
export function formatAddress(address: Address, anchor: string | undefined): string {
  switch (address.kind) {
    case 'url':
      return address.url;
    case 'invalid':
      return address.written;
    case 'anchor':
      return `#${address.anchor}`;
    case 'path':
      return `${address.path}${anchor === undefined ? '' : `#${anchor}`}`;
    case 'page':
      return writeRef(anchor === undefined ? address : { ...address, kind: 'anchor', anchor });
    case 'translation':
      return `translation:${address.translation}`;
    default:
      return writeRef(address);
  }
}

/** Returns the anchor of a link destination. */
export function anchorOf(address: Address): string | undefined {
  return 'anchor' in address ? address.anchor : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
