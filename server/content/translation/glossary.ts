/** The glossary of a translation, which its instructions contain. */
import { type AnyBlock, type Document, type InlineNode, inlineText } from '../markdown/document.ts';
import { hashOf } from '../tree/hash.ts';

/** Terms by the text that replaces them. */
export type Glossary = ReadonlyMap<string, string>;

/** Maximum number of terms in a glossary. The others are ignored. */
export const MAX_GLOSSARY_TERMS = 1000;
/** Maximum length of a term and of its translation, in characters. */
export const MAX_TERM_CHARACTERS = 200;

/** The arrow between a term and its translation. */
const ARROW = /→|->|=>/;

/** Divides a list item at its first arrow, except at its start. */
function partsOf(item: string): [term: string, translation: string] | undefined {
  const arrow = ARROW.exec(item.slice(1));
  if (!arrow) {
    return undefined;
  }
  const at = arrow.index + 1;
  return [item.slice(0, at).trimEnd(), item.slice(at + arrow[0].length).trimStart()];
}

/**
 * Reads the glossary from instructions: list items of the form `term → translation` (or `->`, `=>`), and the first two
 * columns of tables. A term that is its own translation is not translated. Everything else is ignored: the translation
 * service has no parameter for it.
 */
export function readGlossary(instructions: Document): Glossary {
  const glossary = new Map<string, string>();
  const add = (term = '', translation = '') => {
    const [from, to] = [term.trim(), translation.trim()];
    const isShort = from.length <= MAX_TERM_CHARACTERS && to.length <= MAX_TERM_CHARACTERS;
    if (from !== '' && to !== '' && isShort && glossary.size < MAX_GLOSSARY_TERMS && !glossary.has(from)) {
      glossary.set(from, to);
    }
  };
  const visit = (blocks: readonly AnyBlock[]): void => {
    for (const block of blocks) {
      if (block.type === 'list-item') {
        const [term, translation] = partsOf(firstLine(block.nodes)) ?? [];
        add(term, translation);
      }
      if (block.type === 'table') {
        const { view, records } = block.data;
        const [first = '', second = ''] = view.columns;
        for (const { values } of Object.values(records)) {
          add(firstLine(values[first] ?? []), firstLine(values[second] ?? []));
        }
      } else if (block.type !== 'paragraph') {
        visit(block.nodes.filter((node) => node.object === 'block'));
      }
    }
  };
  visit(instructions.nodes);
  return glossary;
}

/** Returns the text of the first paragraph of some blocks. */
function firstLine(blocks: readonly AnyBlock[]): string {
  const [block] = blocks;
  // The nodes of a paragraph are inline.
  return block?.type === 'paragraph' ? inlineText(block.nodes as InlineNode[]) : '';
}

/** Identifies the content of a glossary. */
export const glossaryDigest = (glossary: Glossary): string =>
  hashOf(JSON.stringify([...glossary].sort(([a], [b]) => (a < b ? -1 : 1))));
