import type { Element, Nodes, Parents, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { select, selectAll } from 'hast-util-select';
import { toMdast } from 'hast-util-to-mdast';
import type { Nodes as MarkdownNodes, Root as MarkdownRoot } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { mathToMarkdown } from 'mdast-util-math';
import { toMarkdown } from 'mdast-util-to-markdown';
import { platformPrinting } from '../../markdown/syntax.ts';
import { collapse } from '../../repository/text.ts';
import { UnreadableError } from '../errors.ts';
import { mainContent } from './html-main.ts';
import { elementHandlers, elementText, prepare } from './html-nodes.ts';

/** A converted HTML document. */
export interface HtmlPage {
  /** Its first heading of level 1, otherwise the document title; '' without either. */
  title: string;
  description?: string;
  /** The main content, without the title heading. */
  markdown: string;
  /** The links of the whole document including navigation, in order; absolute if the base is known. */
  links: string[];
  /** The URLs of external images in the text, as written and without duplicates. */
  images: string[];
  /** The canonical URL that the document declares. */
  canonical?: string;
  /** Whether robots are asked not to index the page, or not to follow its links. */
  noIndex: boolean;
  noFollow: boolean;
}

/** Options of a conversion. */
export interface HtmlOptions {
  /** Base of relative URLs unless `<base>` specifies one. Without it, URLs remain relative. */
  url?: string;
  /** Returns the URL of an image that is embedded in the document. Without it, such images are omitted. */
  embed?: (content: Uint8Array) => string;
}

const SUPPORTED_URL = /^(?:https?:|mailto:|tel:)/i;
const IMAGE = /^https?:/i;
const EMBEDDED = /^data:image\/[\w.+-]+;base64,([\w+/=\s-]+)$/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** Maximum nesting depth of elements of a document: the time and memory of the libraries increase with its square. */
export const MAX_HTML_DEPTH = 256;

/**
 * Converts an HTML document to a page: its main content as Markdown of the platform, without executable content.
 *
 * @throws UnreadableError if the document is nested too deeply
 */
export function readHtml(html: string, options: HtmlOptions = {}): HtmlPage {
  const root = parseHtml(html);
  if (root === undefined) {
    throw new UnreadableError(
      `The elements are nested too deeply: more than ${MAX_HTML_DEPTH} levels. Simplify the document.`,
    );
  }
  return read(root, options);
}

/** Parses a document. Returns undefined if its elements are nested too deeply. */
export function parseHtml(html: string): Root | undefined {
  try {
    const root = fromHtml(html);
    return depthOf(root) > MAX_HTML_DEPTH ? undefined : root;
  } catch (error) {
    // The parser is recursive, and exceeds the stack.
    if (!(error instanceof RangeError)) {
      throw error;
    }
    return undefined;
  }
}

/** Returns the number of levels of a tree below its root. */
function depthOf(root: Root): number {
  let depth = 0;
  let level: Nodes[] = root.children;
  while (level.length > 0) {
    depth += 1;
    level = level.flatMap((node) => ('children' in node ? node.children : []));
  }
  return depth;
}

function read(root: Root, options: HtmlOptions): HtmlPage {
  const base = baseOf(root, options.url);
  const links = resolveAddresses(root, base);
  const head = readHead(root);
  const content = mainContent(root);
  const title = removeTitle(content) ?? head.title;
  prepare(content);
  const tree = toMdast({ type: 'root', children: content.children } as Root, {
    handlers: elementHandlers,
    document: true,
  });
  const safe = safeNodes(tree as MarkdownRoot, options);
  const markdown = toMarkdown(safe, {
    bullet: '*',
    rule: '*',
    fences: true,
    listItemIndent: 'one',
    extensions: [
      gfmToMarkdown({ tablePipeAlign: false }),
      mathToMarkdown({ singleDollarTextMath: false }),
      platformPrinting,
    ],
  });
  return { ...head, title, markdown, links, images: [...imagesOf(safe)] };
}

function baseOf(root: Root, url: string | undefined): string | undefined {
  const href = select('base[href]', root)?.properties.href;
  return typeof href === 'string' && url !== undefined ? (URL.parse(href, url)?.href ?? url) : url;
}

/** Makes the URLs of a document absolute, replaces pictures by the image they display, and lists the links. */
function resolveAddresses(root: Root, base: string | undefined): string[] {
  const links: string[] = [];
  const resolve = (url: string): string => (base === undefined ? url : (URL.parse(url, base)?.href ?? url));
  for (const img of selectAll('img', root)) {
    const { src, dataSrc } = img.properties;
    const source = typeof dataSrc === 'string' && (!src || String(src).startsWith('data:')) ? dataSrc : src;
    if (typeof source === 'string') {
      img.properties.src = resolve(source.trim());
    }
  }
  for (const link of selectAll('a[href], area[href]', root)) {
    const { href, rel } = link.properties;
    const target = String(href).trim();
    // A fragment refers to the same page regardless of `<base>`, as its author meant.
    if (target.startsWith('#')) {
      continue;
    }
    const address = resolve(target);
    link.properties.href = address;
    if (!(Array.isArray(rel) && rel.includes('nofollow'))) {
      links.push(address);
    }
  }
  const canonical = select('link[rel~=canonical][href]', root);
  if (canonical) {
    canonical.properties.href = resolve(String(canonical.properties.href));
  }
  return links;
}

function readHead(root: Root): Omit<HtmlPage, 'markdown' | 'links' | 'images'> {
  const meta = (selector: string): string =>
    collapse(String(select(`meta[${selector}][content]`, root)?.properties.content ?? ''));
  const description = meta('name=description') || meta('property="og:description"');
  const canonical = select('link[rel~=canonical][href]', root)?.properties.href;
  const robots = selectAll('meta[name=robots], meta[name=ROBOTS]', root)
    .map(({ properties }) => String(properties.content ?? '').toLowerCase())
    .join(',')
    .split(/[\s,]+/);
  return {
    title: documentTitle(root, meta('property="og:site_name"')),
    ...(description !== '' && { description }),
    ...(typeof canonical === 'string' && { canonical }),
    noIndex: robots.includes('noindex') || robots.includes('none'),
    noFollow: robots.includes('nofollow') || robots.includes('none'),
  };
}

/** Returns the `<title>` without the site name that most generators append. */
function documentTitle(root: Root, site: string): string {
  const element = select('title', root);
  const title = element ? collapse(elementText(element)) : '';
  const parts = title.split(/ (?:[|·»—–]|-) /);
  const [first = '', ...rest] = parts;
  if (rest.length > 0 && parts.at(-1) === site) {
    return title.slice(0, -site.length).replace(/ \S+ $/, '');
  }
  return / [|·»—] /.test(title) ? first : title;
}

/** Removes the first heading of level 1 from a tree and returns its text. */
function removeTitle(parent: Parents): string | undefined {
  const heading = select('h1', parent);
  const title = heading && collapse(elementText(heading)).replace(/\s*[¶#]$/, '');
  if (!heading || !title) {
    return undefined;
  }
  remove(parent, heading);
  return title;
}

function remove(parent: Parents, element: Element): boolean {
  const at = parent.children.indexOf(element);
  if (at !== -1) {
    parent.children.splice(at, 1);
    return true;
  }
  return parent.children.some((child) => 'children' in child && remove(child, element));
}

/** Returns a tree without executable URLs and empty nodes. */
function safeNodes<Node extends MarkdownNodes>(node: Node, options: HtmlOptions): Node {
  if (!('children' in node)) {
    return node;
  }
  const children = (node.children as MarkdownNodes[]).flatMap((child): MarkdownNodes[] => {
    const safe = safeNodes(child, options);
    if (safe.type === 'image') {
      const address = imageAddress(safe.url, options);
      return address === undefined ? [] : [{ ...safe, url: address }];
    }
    if (safe.type !== 'link') {
      return [safe];
    }
    // The anchor of a heading.
    if (safe.children.length === 0) {
      return [];
    }
    return isLinkable(safe.url) ? [{ ...safe, url: onPage(safe.url, options.url) }] : safe.children;
  });
  // A link is replaced by its children, which are valid wherever a link is.
  return { ...node, children } as Node;
}

/** Returns the URL of an image; undefined if it cannot be displayed. */
function imageAddress(address: string, { embed }: HtmlOptions): string | undefined {
  const [, bytes] = EMBEDDED.exec(address) ?? [];
  if (bytes !== undefined) {
    return embed?.(Buffer.from(bytes, 'base64'));
  }
  return address !== '' && (IMAGE.test(address) || !SCHEME.test(unspaced(address))) ? address : undefined;
}

/** Returns the URL of a link; only the fragment if it refers to the same page. */
function onPage(address: string, url: string | undefined): string {
  const [page, anchor] = address.split('#');
  return anchor !== undefined && url !== undefined && page === url.split('#')[0] ? `#${anchor}` : address;
}

const isLinkable = (address: string): boolean =>
  address !== '' && (SUPPORTED_URL.test(address) || !SCHEME.test(unspaced(address)));
/** Removes characters that browsers ignore in URLs: `java\nscript:` is executable (URL, "basic URL parser"). */
const unspaced = (address: string): string => address.replace(/[\p{Cc}\s]+/gu, '');

function* imagesOf(node: MarkdownNodes, visited = new Set<string>()): Generator<string> {
  if (node.type === 'image' && !visited.has(node.url)) {
    visited.add(node.url);
    yield node.url;
  }
  if ('children' in node) {
    for (const child of node.children) {
      yield* imagesOf(child, visited);
    }
  }
}
