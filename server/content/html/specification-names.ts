const SPECIFICATION_TAG =
  /\{%-?\s*openapi-(?:operation|webhook|schemas)\b[^%]*?\bspec\s*=\s*["']?([^"'\s%]+)/g;

/** Returns the names that a text has for specifications that it contains parts of. */
export const specificationsIn = (markdown: string): string[] => [
  ...new Set([...markdown.matchAll(SPECIFICATION_TAG)].map(([, spec = '']) => spec)),
];
