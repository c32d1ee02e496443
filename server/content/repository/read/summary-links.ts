import type { Nodes, PhrasingContent } from 'mdast';
import { collapse, nodeText, plainText } from '../text.ts';

/** A link as written in a table of contents. */
export interface WrittenLink {
  /** Its visible text; may be empty. */
  title: string;
  target: string;
  /** Line in the parsed text, from 1; undefined if unknown. */
  line: number | undefined;
}

// CommonMark requires angle brackets around a link target with spaces, but authors commonly omit them.
const LOOSE_LINK = /^\[([^\]]*)\]\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/;
const BARE_ADDRESS = /^https?:\/\/[^\s<>]+$/i;
/** Tags of links, links of Markdown and comments in HTML. Each part ends where the next one could start. */
const HTML_LINK = /<!--|<(\/?)a(?=[\s>])([^<>]*)>|\[([^[\]\n]*)\]\(([^()\n]{1,2048})\)/gi;
const HTML_TAG = /<[^<>]*>/g;
const HREF_PATTERN = /(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

/** Whether text without any link of Markdown is read as a link. */
export function isReadAsLink(text: string): boolean {
  return LOOSE_LINK.test(text) || BARE_ADDRESS.test(text);
}

/** Returns a text that is a link in itself: a URL, or a link with spaces in its target. */
function linkInText(text: string, line: number | undefined): WrittenLink[] {
  const title = collapse(text);
  const [, looseTitle, looseTarget] = LOOSE_LINK.exec(title) ?? [];
  if (looseTitle !== undefined && looseTarget !== undefined) {
    return [{ title: looseTitle, target: looseTarget, line }];
  }
  return BARE_ADDRESS.test(title) ? [{ title, target: title, line }] : [];
}

/**
 * Returns the links in the content of a paragraph or heading, in their order: links of Markdown and HTML, and lines
 * that consist of a link with spaces in its target or of a URL.
 *
 * @param definitions targets of link definitions by identifier
 */
export function linksIn(
  { children, position }: { children: readonly PhrasingContent[]; position?: Nodes['position'] | undefined },
  definitions: ReadonlyMap<string, string>,
): WrittenLink[] {
  const links: WrittenLink[] = [];
  /** The link of HTML that contains the current node. */
  let open: WrittenLink | undefined;
  const close = () => {
    if (open !== undefined && collapse(open.title) !== '') {
      links.push({ ...open, title: collapse(open.title) });
    }
    open = undefined;
  };
  const visit = (node: PhrasingContent) => {
    const line = node.position?.start.line ?? position?.start.line;
    if (node.type === 'html') {
      if (/^<\/?a[\s>]/i.test(node.value)) {
        close();
      }
      const target = hrefOf(node.value);
      open = target === undefined ? open : { title: '', target, line };
    } else if (open !== undefined) {
      open.title += nodeText(node);
    } else if (node.type === 'link') {
      links.push({ title: collapse(nodeText(node)), target: node.url, line });
    } else if (node.type === 'linkReference') {
      const target = definitions.get(node.identifier) ?? '';
      links.push({ title: collapse(nodeText(node)), target, line });
    } else if (node.type === 'text') {
      const lines = node.value.split('\n');
      links.push(...lines.flatMap((text, at) => linkInText(text, line === undefined ? line : line + at)));
    } else if ('children' in node) {
      node.children.forEach(visit);
    }
  };
  children.forEach(visit);
  close();
  const isCode = children.every((child) => child.type === 'inlineCode' || nodeText(child).trim() === '');
  // Markup divides the text of a link with spaces in its target.
  return links.length > 0 || isCode
    ? links
    : linkInText(children.map(nodeText).join(''), position?.start.line);
}

/** Returns the links in a block of HTML, of HTML and of Markdown. Comments contain none. */
export function linksInHtml(html: string, firstLine: number): WrittenLink[] {
  const links: WrittenLink[] = [];
  let open: { target: string; start: number; line: number } | undefined;
  let line = firstLine;
  let counted = 0;
  for (let match = HTML_LINK.exec(html); match !== null; match = HTML_LINK.exec(html)) {
    const [written, slash, attributes = '', title, target] = match;
    line += newlinesIn(html.slice(counted, match.index));
    counted = match.index;
    if (written === '<!--') {
      const end = html.indexOf('-->', match.index);
      HTML_LINK.lastIndex = end === -1 ? html.length : end;
    } else if (target !== undefined) {
      const [, pointed, url = ''] = /^(?:<([^<>]*)>|(\S*))/.exec(target.trim()) ?? [];
      links.push({ title: plainText(title ?? ''), target: pointed ?? url, line });
    } else if (slash === '/' && open !== undefined) {
      const text = html.slice(open.start, match.index).replace(HTML_TAG, '');
      links.push({ title: plainText(text), target: open.target, line: open.line });
      open = undefined;
    } else {
      const href = hrefOf(`<a${attributes}>`);
      open = href === undefined ? undefined : { target: href, start: HTML_LINK.lastIndex, line };
    }
  }
  HTML_LINK.lastIndex = 0;
  return links;
}

/** Returns the target of a link's start tag; undefined for an anchor. */
function hrefOf(tag: string): string | undefined {
  if (!/^<a\s/i.test(tag)) {
    return undefined;
  }
  const [, double, single, bare] = HREF_PATTERN.exec(tag.slice(2)) ?? [];
  const href = (double ?? single ?? bare ?? '').replaceAll('&amp;', '&').trim();
  return href === '' || href.startsWith('#') ? undefined : href;
}

function newlinesIn(text: string): number {
  return text.split('\n').length - 1;
}
