/** Reads rendered pages as a browser does. */
import type { Element, Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { select, selectAll } from 'hast-util-select';
import type { RenderedPage, RenderOptions } from '../../../server/content/html/options.ts';
import { renderPage } from '../../../server/content/html/page.ts';
import { renderHtml } from '../../../server/content/html/render.ts';
import type { Document } from '../../../server/content/markdown/document.ts';

/** A page and its elements. */
export interface RenderedTree extends RenderedPage {
  tree: Root;
  /** Returns the first element that matches a selector. */
  find(selector: string): Element;
  all(selector: string): Element[];
  /** Returns the text of the first element that matches. */
  text(selector: string): string;
}

/** Parses a rendered page. */
export const treeOf = (page: RenderedPage): RenderedTree => {
  const tree = fromHtml(page.html, { fragment: true });
  const find = (selector: string): Element => {
    const element = select(selector, tree);
    if (!element) {
      throw new Error(`No element matches ${selector} in ${page.html}`);
    }
    return element;
  };
  return {
    ...page,
    tree,
    find,
    all: (selector) => selectAll(selector, tree),
    text: (selector) => textContent(find(selector)),
  };
};

/** Renders Markdown. */
export const rendered = (markdown: string, options: RenderOptions = {}): RenderedTree =>
  treeOf(renderPage({ markdown, options }));

/** Renders blocks. */
export const renderedBlocks = (nodes: Document['nodes'], options: RenderOptions = {}): RenderedTree =>
  treeOf(renderHtml({ nodes }, options));

/** Returns the text in a node. */
export function textContent(node: Nodes): string {
  if (node.type === 'text') {
    return node.value;
  }
  return 'children' in node ? node.children.map(textContent).join('') : '';
}

/** Lists the elements in a node. */
export function* elementsIn(node: Nodes): Generator<Element> {
  if (node.type === 'element') {
    yield node;
  }
  for (const child of 'children' in node ? node.children : []) {
    yield* elementsIn(child);
  }
}
