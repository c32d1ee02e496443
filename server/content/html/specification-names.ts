/** A percent sign ends a tag only before a brace outside of quotes. Nothing extends into the next `{%`. */
const SPECIFICATION_TAG =
  /\{%-?\s*openapi-(?:operation|webhook|schemas)\b(?:"(?:[^"\\\n{]|\\[^\n{]|\\?\{(?!%))*"|[^%{"]|\{(?!%)|%(?!\}))*?\bspec\s*=\s*["']?([^"'\s%]+)/g;

/** Returns the names that a text has for specifications that it contains parts of. */
export const specificationsIn = (markdown: string): string[] => [
  ...new Set([...markdown.matchAll(SPECIFICATION_TAG)].map(([, spec = '']) => spec)),
];
