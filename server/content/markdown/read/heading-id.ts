/** The ID of a heading that is written at its end: `## Setup {#setup}`. */
import type { Heading, PhrasingContent } from 'mdast';

// A match begins where the whitespace does: otherwise it would be read again from each of its characters.
const HEADING_ID = /(?:^|(?<![ \t])[ \t]+)\{#([^\s{}#\\]{1,512})\}[ \t]*$/;

/** Separates the source of a heading from its ID. */
export function splitHeadingId(source: string): { text: string; id?: string } {
  const match = HEADING_ID.exec(source);
  return match?.[1] === undefined ? { text: source } : { text: source.slice(0, match.index), id: match[1] };
}

/**
 * Separates the nodes of a heading from its ID.
 *
 * @param source the text that the position of the heading refers to
 */
export function headingParts(
  { children }: Heading,
  source: string,
): { nodes: PhrasingContent[]; id?: string } {
  const last = children.at(-1);
  if (last?.type !== 'text') {
    return { nodes: children };
  }
  const { text, id } = splitHeadingId(last.value);
  const written = `{#${id}}`;
  const end = (last.position?.end.offset ?? 0) - written.length;
  // An escaped brace is text.
  if (id === undefined || !source.startsWith(written, end) || source[end - 1] === '\\') {
    return { nodes: children };
  }
  return { nodes: [...children.slice(0, -1), { ...last, value: text }], id };
}
