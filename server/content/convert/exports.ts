import { posix } from 'node:path';
import type { Element, Nodes } from 'hast';
import { select } from 'hast-util-select';
import { isMarkdown } from '../repository/files.ts';
import { collapse, decodeText } from '../repository/text.ts';
import { decodeHtmlBytes } from './charset.ts';
import { parseHtml } from './html/html.ts';
import { elementText } from './html/html-nodes.ts';
import type { SourceFiles } from './types.ts';

/** The ID that Notion appends to a name to make it unique. */
const NOTION_ID = /[ _]([0-9a-f]{32})(?=[./]|_all\.|$)/g;
const NOTION_ID_IN_TEXT = /(?:%20| )([0-9a-f]{32})/g;

/**
 * Returns the files of a Notion export under their original names. An ID is retained where two names would otherwise
 * be equal.
 */
export function withoutNotionIds(files: SourceFiles): SourceFiles {
  const short = new Map<string, string[]>();
  for (const path of files.keys()) {
    const name = path.replace(NOTION_ID, '');
    short.set(name, [...(short.get(name) ?? []), path]);
  }
  const retainedIds = new Set<string>();
  for (const [name, paths] of short) {
    const [first] = paths.includes(name) ? [name] : paths;
    for (const path of paths.filter((other) => other !== first)) {
      for (const [, id = ''] of path.matchAll(NOTION_ID)) {
        retainedIds.add(id);
      }
    }
  }
  const strip = (pattern: RegExp) => (text: string) =>
    text.replace(pattern, (match, id: string) => (retainedIds.has(id) ? match : ''));
  const [inName, inText] = [strip(NOTION_ID), strip(NOTION_ID_IN_TEXT)];
  return new Map(
    Array.from(files, ([path, file]) => [
      inName(path),
      isMarkdown(path) ? { ...file, read: () => Buffer.from(inText(decodeText(file.read()))) } : file,
    ]),
  );
}

/** Returns the title of a page in a Confluence export without the prefix of the space name. */
export function withoutSpaceName(title: string): string {
  return title.replace(/^[^:]{1,200} : (?=\S)/, '');
}

/** Returns the table of contents of a Confluence export: the list of links in its index, if it is readable. */
export function confluenceSummary(files: SourceFiles): string | undefined {
  const path = [...files.keys()]
    .filter((name) => posix.basename(name) === 'index.html')
    .sort((left, other) => left.length - other.length)[0];
  const content = path === undefined ? undefined : files.get(path)?.read();
  if (content === undefined) {
    return undefined;
  }
  const root = parseHtml(decodeHtmlBytes(content));
  const list = root && select('#main-content ul, .pageSection ul, ul', root);
  const lines = list ? [...linesOf(list, '')] : [];
  return lines.length === 0 ? undefined : `${lines.join('\n')}\n`;
}

function* linesOf(list: Element, indent: string): Generator<string> {
  for (const item of list.children) {
    if (!isElement(item, 'li')) {
      continue;
    }
    const link = item.children.find((child) => isElement(child, 'a'));
    const nestedLists = item.children.filter((child): child is Element => isElement(child, 'ul'));
    const href = link && isElement(link, 'a') ? String(link.properties.href ?? '') : '';
    if (link && href !== '' && !/[()\s]/.test(href)) {
      yield `${indent}* [${collapse(elementText(link)).replace(/[\\[\]]/g, '\\$&')}](${href})`;
    }
    for (const nested of nestedLists) {
      yield* linesOf(nested, `${indent}  `);
    }
  }
}

function isElement(node: Nodes, tagName: string): node is Element {
  return node.type === 'element' && node.tagName === tagName;
}
