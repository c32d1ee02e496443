/** Finds the links of CommonMark: inline links, images and link reference definitions. */
import { decodeHtml } from '../markdown/html.ts';

const DESTINATION =
  '(?:<([^<>\\n]{0,2048})>|((?:\\\\.|[^\\s()<>\\\\]|\\((?:\\\\.|[^\\s()\\\\])*\\)){1,2048}))';
/** Tokens of links: escapes, brackets, and ends of paragraphs, which end a link. */
const LINK = new RegExp(
  `\\\\.|\\[|\\](?:\\([ \\t]*\\n?[ \\t]*${DESTINATION}(?=\\s*\\)|\\s+["'(]))?|\\n[ \\t]*(?=\\n)`,
  'gs',
);
const DEFINITION = new RegExp(
  `^(?: {0,3}|[ \\t>]*)\\[(?!\\^)((?:\\\\.|[^[\\]\\\\]){1,999})\\]:[ \\t]*\\n?[ \\t]*${DESTINATION}`,
  'gm',
);
const LABEL = /\[((?:\\.|[^[\]\\]){1,999})\]/g;

/** Removes the inline links and images, and adds their destinations. */
export function withoutLinks(text: string, add: (destination: string) => void): string {
  let open = 0;
  return text.replace(LINK, (match: string, pointed: string | undefined, bare: string | undefined) => {
    if (match.startsWith('\n')) {
      open = 0;
    } else if (match === '[') {
      open++;
    } else if (match.startsWith(']') && open > 0) {
      open--;
      if (pointed === undefined && bare === undefined) {
        return match;
      }
      add(unescaped(pointed ?? bare ?? ''));
      return '] ';
    }
    return match;
  });
}

/** Removes the link reference definitions, and adds the destinations of those that are referenced. */
export function withoutDefinitions(text: string, add: (destination: string) => void): string {
  const defined = new Map<string, string>();
  const rest = text.replace(DEFINITION, (_, label: string, pointed?: string, bare?: string) => {
    const name = labelOf(label);
    if (!defined.has(name)) {
      defined.set(name, unescaped(pointed ?? bare ?? ''));
    }
    return ' ';
  });
  if (defined.size === 0) {
    return rest;
  }
  for (const [, label = ''] of rest.matchAll(LABEL)) {
    const address = defined.get(labelOf(label));
    if (address !== undefined) {
      add(address);
    }
  }
  return rest;
}

/** Labels are matched ignoring case and repeated whitespace (CommonMark, section 4.7). */
const labelOf = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

function unescaped(address: string): string {
  const text = address.includes('\\') ? address.replace(/\\([!-/:-@[-`{-~])/g, '$1') : address;
  return text.includes('&') ? decodeHtml(text) : text;
}
