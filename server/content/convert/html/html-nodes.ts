import type { Element, ElementContent, Nodes, Parents } from 'hast';
import { select, selectAll } from 'hast-util-select';
import type { State } from 'hast-util-to-mdast';
import type { BlockContent, Nodes as MarkdownNodes, PhrasingContent } from 'mdast';
import { anchorOfTitle, otherForms } from '../../markdown/anchors/forms.ts';
import { escapeHtml, htmlOpen } from '../../markdown/html.ts';
import { trimEndOf } from '../../markdown/text-ends.ts';
import { collapse } from '../../repository/text.ts';
import { idAndClassesOf } from './html-main.ts';

type Handler = (state: State, node: Element) => MarkdownNodes[] | MarkdownNodes | undefined;

const LANGUAGE = /(?:^|\s)(?:(?:language|lang|highlight-source|highlight)-|brush:\s?)([\w+#.]+)/i;
const NO_LANGUAGE: ReadonlySet<string> = new Set([
  'default',
  'none',
  'plaintext',
  'notranslate',
  'highlight',
]);
const ANCHOR = /^[\w-]+$/;
/** Maximum rows or columns that one table cell spans. */
export const MAX_CELL_SPAN = 20;
/** Maximum cells of a table; a larger one is converted to its text. */
export const MAX_TABLE_CELLS = 10_000;

/** Converters of elements with more syntax in the platform than in the library. */
export const elementHandlers: Record<string, Handler> = {
  pre: (_state, node) => codeOf(node),
  figure(state, node) {
    const img = selectAll('img', node);
    const caption = select('figcaption', node);
    const [only] = img;
    if (only === undefined || img.length > 1) {
      return flow(state, node);
    }
    const image = state.one(only, node);
    const title = caption && collapse(elementText(caption));
    const converted = Array.isArray(image) ? image[0] : image;
    if (converted?.type !== 'image') {
      return flow(state, node);
    }
    return { type: 'paragraph', children: [title ? { ...converted, title } : converted] };
  },
  details(state, node) {
    const summary = node.children.find(
      (child): child is Element => child.type === 'element' && child.tagName === 'summary',
    );
    const body = { ...node, children: node.children.filter((child) => child !== summary) };
    const title = escapeHtml(collapse(summary ? elementText(summary) : '') || 'Details');
    return [
      { type: 'html', value: `<details>\n\n<summary>${title}</summary>` },
      ...flow(state, body),
      { type: 'html', value: '</details>' },
    ];
  },
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, heading])),
};

function heading(state: State, node: Element): MarkdownNodes {
  // The tag name is one of h1 to h6.
  const depth = Number(node.tagName.slice(1)) as 1 | 2 | 3 | 4 | 5 | 6;
  // The content of a heading is phrasing; the printer converts blocks in it to their text.
  const children = state.all(node) as PhrasingContent[];
  const id = String(node.properties.id ?? '');
  // An anchor that leads to the heading by its text is omitted.
  const title = collapse(elementText(node));
  const isOwn = ANCHOR.test(id) && id !== anchorOfTitle(title) && !otherForms(title).includes(id);
  return {
    type: 'heading',
    depth,
    children: isOwn
      ? [
          ...children,
          {
            type: 'html',
            value: `${htmlOpen('a', [
              ['href', `#${id}`],
              ['id', id],
            ])}</a>`,
          },
        ]
      : children,
  };
}

function flow(state: State, node: Element): BlockContent[] {
  // toFlow wraps phrasing content in paragraphs.
  return state.toFlow(state.all(node)) as BlockContent[];
}

function codeOf(node: Element): MarkdownNodes {
  const lang = languageOf(node) ?? null;
  return { type: 'code', lang, meta: null, value: trimEndOf(codeText(node), '\n') };
}

/** Returns the language of a code block, as marked by common highlighters. */
function languageOfAncestors(code: Element, ancestors: readonly Element[]): string | undefined {
  const inner = select('code', code);
  const candidates = [...(inner ? [inner] : []), code, ...ancestors.slice(0, 2)];
  return candidates.map(languageOf).find((language) => language !== undefined);
}

function languageOf(element: Element): string | undefined {
  const { dataLang, dataLanguage } = element.properties;
  const declared = [dataLang, dataLanguage].find((value) => typeof value === 'string' && value !== '');
  const name = typeof declared === 'string' ? declared : LANGUAGE.exec(idAndClassesOf(element))?.[1];
  const language = name?.toLowerCase();
  return language === undefined || NO_LANGUAGE.has(language) ? undefined : language;
}

/** Returns text as written, with a line feed for each element that breaks a line. */
function codeText(node: Nodes): string {
  if (node.type === 'text') {
    return node.value;
  }
  if (node.type === 'element' && node.tagName === 'br') {
    return '\n';
  }
  if (!('children' in node)) {
    return '';
  }
  const text = node.children.map(codeText).join('');
  const isLine = node.type === 'element' && (node.tagName === 'div' || node.tagName === 'tr');
  return isLine && !text.endsWith('\n') ? `${text}\n` : text;
}

/** Returns the text of an element as written. */
export function elementText(node: Nodes): string {
  if (node.type === 'text') {
    return node.value;
  }
  if (node.type === 'element' && node.tagName === 'br') {
    return ' ';
  }
  return 'children' in node ? node.children.map(elementText).join('') : '';
}

/**
 * Prepares a tree for the library: replaces tables that only lay out code by the code, limits the span of cells,
 * converts tables without table semantics to text, and sets the language of code on the code itself.
 *
 * @param ancestors ancestors of the node, the nearest first
 */
export function prepare(node: Parents, ancestors: readonly Element[] = []): void {
  const { children } = node;
  const outer = node.type === 'element' ? [node, ...ancestors.slice(0, 1)] : [];
  for (const [at, child] of children.entries()) {
    if (child.type !== 'element') {
      continue;
    }
    const replaced = child.tagName === 'table' ? tableOf(child) : child;
    children[at] = replaced;
    const language = replaced.tagName === 'pre' ? languageOfAncestors(replaced, outer) : undefined;
    if (language !== undefined) {
      replaced.properties.dataLanguage = language;
    }
    prepare(replaced, outer);
  }
}

function tableOf(table: Element): Element {
  const codes = selectAll('pre', table);
  const [code] = codes;
  if (
    code &&
    codes.length === 1 &&
    /highlight|rouge|code/i.test(`${idAndClassesOf(table)} ${cellClasses(table)}`)
  ) {
    return code;
  }
  const rows = selectAll('tr', table);
  let columns = 0;
  let spanned = 0;
  for (const row of rows) {
    const cells = row.children.filter(
      (child): child is Element => child.type === 'element' && /^t[dh]$/.test(child.tagName),
    );
    let width = 0;
    for (const { properties } of cells) {
      for (const span of ['colSpan', 'rowSpan']) {
        if (Number(properties[span]) > 1) {
          properties[span] = Math.min(Number(properties[span]), MAX_CELL_SPAN);
        }
      }
      const span = Number(properties.colSpan) || 1;
      width += span;
      spanned += span * (Number(properties.rowSpan) || 1);
    }
    columns = Math.max(columns, width);
  }
  if (Math.max(rows.length * columns, spanned) <= MAX_TABLE_CELLS) {
    return table;
  }
  const lines: ElementContent[] = rows.map((row) => ({
    type: 'element',
    tagName: 'p',
    properties: {},
    children: [{ type: 'text', value: elementText(row) }],
  }));
  return { type: 'element', tagName: 'div', properties: {}, children: lines };
}

function cellClasses(table: Element): string {
  return selectAll('td', table).map(idAndClassesOf).join(' ');
}
