/** Escapes text for a regular expression. The types of TypeScript 5 lack `RegExp.escape`. */
export const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
