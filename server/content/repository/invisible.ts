/**
 * Characters that editors, web pages and messengers leave in copied text, and that are not visible: soft hyphens,
 * zero-width and bidirectional characters, byte-order marks. Variation selectors and the tags of emoji are not among
 * them.
 */
const INVISIBLE = '\\u00AD\\u061C\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\uFEFF';

const anyInvisible = new RegExp(`[${INVISIBLE}]`);
const invisibleOrBlank = new RegExp(`[${INVISIBLE}\\s]`);
const invisibleAtLineStart = new RegExp(`^([ \\t]*)[${INVISIBLE}]+`, 'gm');
const invisibleInYaml = new RegExp(`[${INVISIBLE}\\u00A0]`);
const yamlLineStart = new RegExp(`^[${INVISIBLE}\\u00A0 \\t]+`);
const yamlKey = new RegExp(
  `^( *(?:- +)?(?:"[^"]*"|'[^']*'|[\\p{L}\\p{N}_./-]+))[${INVISIBLE} \\t]*:(?:[${INVISIBLE}\\u00A0 \\t]+(?=(.?))|$)`,
  'u',
);

/** Removes invisible characters before the first visible character of each line. */
export function withoutInvisible(text: string): string {
  return anyInvisible.test(text) ? text.replace(invisibleAtLineStart, '$1') : text;
}

/** Removes invisible characters and white space at both ends of a text. */
export function trimInvisible(text: string): string {
  let start = 0;
  while (start < text.length && invisibleOrBlank.test(text.charAt(start))) {
    start += 1;
  }
  return trimInvisibleEnd(text.slice(start));
}

/**
 * Removes the invisible characters around the keys and values of YAML, which would be parts of them, and replaces
 * no-break spaces there by spaces.
 */
export function withoutInvisibleInYaml(text: string): string {
  if (!invisibleInYaml.test(text)) {
    return text;
  }
  return text
    .split('\n')
    .map((line) => (invisibleInYaml.test(line) ? cleanYamlLine(line) : line))
    .join('\n');
}

function cleanYamlLine(line: string): string {
  return trimInvisibleEnd(line)
    .replace(yamlLineStart, (start) => start.replaceAll('\u00A0', ' ').replace(/[^ \t]+/g, ''))
    .replace(yamlKey, (_match, key: string, next = '') => (next === '' ? `${key}:` : `${key}: `));
}

/** A pattern anchored at the end would take quadratic time. */
function trimInvisibleEnd(text: string): string {
  let end = text.length;
  while (end > 0 && invisibleOrBlank.test(text.charAt(end - 1))) {
    end -= 1;
  }
  return text.slice(0, end);
}
