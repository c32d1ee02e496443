/** Creates anchors of headings like Markdown hosts: lower case, with hyphens for spaces. */
import type { BlockOf, InlineNode } from './document.ts';
import type { HeadingType } from './headings.ts';
import { emojiText } from './icons.ts';

/** Creates anchors that are unique within a page: a second `setup` becomes `setup-1`. */
export class Slugs {
  readonly #counts = new Map<string, number>();

  /** Returns the anchor of a heading without an ID of its own. */
  of(title: string): string {
    const base = title
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .trim()
      .replace(/ +/g, '-');
    return this.unique(base === '' ? 'section' : base);
  }

  /** Makes an anchor that is set in the page unique. */
  unique(anchor: string): string {
    let result = anchor;
    for (let count = this.#counts.get(anchor) ?? 0; this.#counts.has(result); ) {
      count++;
      result = `${anchor}-${count}`;
      this.#counts.set(anchor, count);
    }
    this.#counts.set(result, this.#counts.get(result) ?? 0);
    return result;
  }
}

/** Returns the anchor of the next heading of a page. */
export const anchorOf = (slugs: Slugs, { data, nodes }: BlockOf<HeadingType>): string =>
  data.id ? slugs.unique(data.id) : slugs.of(visibleText(nodes));

/** Returns the text of inline nodes as a reader sees it. */
export function visibleText(nodes: readonly InlineNode[]): string {
  let value = '';
  for (const node of nodes) {
    if (node.object === 'text') {
      value += node.leaves.map((leaf) => leaf.text).join('');
      continue;
    }
    switch (node.type) {
      case 'emoji':
        value += emojiText(node.data.code);
        break;
      case 'expression':
        value += node.data.expression;
        break;
      case 'inline-math':
        value += node.data.formula;
        break;
      case 'button':
        value += node.data.label;
        break;
      case 'comment':
      case 'tag':
        break;
      default:
        value += visibleText(node.nodes);
    }
  }
  return value;
}
