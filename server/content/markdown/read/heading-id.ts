/** The ID of a heading that is written at its end: `## Setup {#setup}`. */
import type { Heading, PhrasingContent } from 'mdast';
import { trimEndOf } from '../text-ends.ts';

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
  { children, position }: Heading,
  source: string,
): { nodes: PhrasingContent[]; id?: string } {
  const last = children.at(-1);
  if (last?.type !== 'text') {
    return { nodes: children };
  }
  const { text, id } = splitHeadingId(last.value);
  if (id === undefined || !isWritten(id, sourceOf(position, source))) {
    return { nodes: children };
  }
  return { nodes: [...children.slice(0, -1), { ...last, value: text }], id };
}

/** A line below a heading that makes it one. */
const UNDERLINE = /\n[ \t>]*(?:=+|-+)[ \t]*$/;

/** Returns the text of a heading as written. Only the positions of blocks refer to the whole text. */
function sourceOf(position: Heading['position'], source: string): string {
  const written = source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
  const underline = UNDERLINE.exec(written);
  const text = underline ? written.slice(0, underline.index) : written.trimEnd();
  return underline ? text.trimEnd() : trimEndOf(text, '#').trimEnd();
}

/** Returns whether a text ends with an ID: an escaped brace is text. */
function isWritten(id: string, text: string): boolean {
  const written = `{#${id}}`;
  return text.endsWith(written) && text.at(-written.length - 1) !== '\\';
}
