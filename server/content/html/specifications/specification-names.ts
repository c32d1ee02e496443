import { readTag } from '../../markdown/attributes.ts';

/** A tag, which ends outside of quotes. Without the start of another tag in it, a search takes linear time. */
const SPECIFICATION_TAG =
  /\{%-?\s*openapi-(?:operation|webhook|schemas)\b(?:"(?:\\[^{]|(?!\{%)[^"\\])*"|(?!\{%)[^"])*?%\}/g;

/** Returns the names that a text has for specifications that it contains parts of. */
export const specificationsIn = (markdown: string): string[] => [
  ...new Set(
    [...markdown.matchAll(SPECIFICATION_TAG)].flatMap(([tag]) => readTag(tag).attributes.get('spec') ?? []),
  ),
];
