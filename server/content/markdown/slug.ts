/** Creates anchors that are unique within a page. */
import { anchorOfTitle } from './anchors/forms.ts';
import { type InlineNode, textOfMention } from './document.ts';
import { emojiText } from './icons.ts';

/** Creates anchors that are unique within a page: a second `setup` becomes `setup-1`. */
export class Slugs {
  readonly #counts = new Map<string, number>();

  has(anchor: string): boolean {
    return this.#counts.has(anchor);
  }

  /** Returns the anchor of a heading without an ID of its own. */
  of(title: string): string {
    return this.unique(anchorOfTitle(title));
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

/**
 * Returns the anchors of the headings of a page, in their order. IDs that authors set come first, so that no title takes
 * them.
 */
export function anchorsOfHeadings(
  headings: ReadonlyArray<{ id?: string | undefined; title: string }>,
  slugs = new Slugs(),
): string[] {
  const own = headings.map(({ id }) => (id ? slugs.unique(id) : undefined));
  return headings.map(({ title }, at) => own[at] ?? slugs.of(title));
}

/** Returns the text of a mention. */
export type MentionText = (mention: Extract<InlineNode, { type: 'mention' }>['data']) => string;

/**
 * Returns the text of inline nodes as a reader sees it.
 *
 * @param mentionText returns the title that a mention shows; by default, its text in Markdown
 */
export function visibleText(nodes: readonly InlineNode[], mentionText: MentionText = textOfMention): string {
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
      case 'mention':
        value += mentionText(node.data);
        break;
      case 'comment':
      case 'tag':
        break;
      default:
        value += visibleText(node.nodes, mentionText);
    }
  }
  return value;
}
