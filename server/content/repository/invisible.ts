/**
 * Characters that editors, web pages and messengers leave in copied text, and that are not visible: soft hyphens,
 * zero-width and bidirectional characters, byte-order marks. Variation selectors and the tags of emoji are not among
 * them.
 */
const INVISIBLE = '\\u00AD\\u061C\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\uFEFF';

const ANY_INVISIBLE = new RegExp(`[${INVISIBLE}]`);
const INVISIBLE_OR_BLANK = new RegExp(`[${INVISIBLE}\\s]`);
const INVISIBLE_AT_LINE_START = new RegExp(`^([ \\t]*)[${INVISIBLE}]+`, 'gm');
const INVISIBLE_IN_YAML = new RegExp(`[${INVISIBLE}\\u00A0]`);
const YAML_LINE_START = new RegExp(`^[${INVISIBLE}\\u00A0 \\t]+`);
const YAML_KEY = new RegExp(
  `^( *(?:- +)?(?:"[^"]*"|'[^']*'|[\\p{L}\\p{N}_./-]+))[${INVISIBLE} \\t]*:(?:[${INVISIBLE}\\u00A0 \\t]+(?=(.?))|$)`,
  'u',
);

/** Removes invisible characters before the first visible character of each line. */
export function withoutInvisible(text: string): string {
  return ANY_INVISIBLE.test(text) ? text.replace(INVISIBLE_AT_LINE_START, '$1') : text;
}

/** Removes invisible characters and white space at both ends of a text. */
export function trimInvisible(text: string): string {
  let start = 0;
  while (start < text.length && INVISIBLE_OR_BLANK.test(text.charAt(start))) {
    start += 1;
  }
  return trimInvisibleEnd(text.slice(start));
}

/**
 * Removes the invisible characters around the keys and values of YAML, which would be parts of them, and replaces
 * no-break spaces there by spaces.
 */
export function withoutInvisibleInYaml(text: string): string {
  if (!INVISIBLE_IN_YAML.test(text)) {
    return text;
  }
  return text
    .split('\n')
    .map((line) => (INVISIBLE_IN_YAML.test(line) ? cleanYamlLine(line) : line))
    .join('\n');
}

function cleanYamlLine(line: string): string {
  return trimInvisibleEnd(line)
    .replace(YAML_LINE_START, (start) => start.replaceAll('\u00A0', ' ').replace(/[^ \t]+/g, ''))
    .replace(YAML_KEY, (_match, key: string, next = '') => (next === '' ? `${key}:` : `${key}: `));
}

/** A pattern anchored at the end would take quadratic time. */
function trimInvisibleEnd(text: string): string {
  let end = text.length;
  while (end > 0 && INVISIBLE_OR_BLANK.test(text.charAt(end - 1))) {
    end -= 1;
  }
  return text.slice(0, end);
}
