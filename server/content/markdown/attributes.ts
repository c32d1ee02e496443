/** Reads and writes tags as text, `{% name key="value" … %}`, and selects unknown attributes. */

/** A parsed tag. */
export interface Tag {
  /** The first word, such as `hint`, `endhint` or `@mermaid/diagram`. */
  name: string;
  /** The source after the name. */
  rest: string;
  /** Attributes in the rest. An attribute without a value has the value `true`. */
  attributes: Map<string, string>;
  /** Source of the whole tag. */
  source: string;
}

/** An attribute with a value in double quotes, in single quotes, or without quotes. */
const ATTRIBUTE = /([^\s="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"'][^\s"]*)))?/g;

/** An escape of Markdown, which old exports also have in the values of tags. */
const ESCAPE = /\\([!-/:-@[-`{-~])/g;

/** Returns the value of an attribute as an old export has it, without escapes of Markdown. */
export const unescapedValue = ({ attributes }: Tag, name: string): string =>
  (attributes.get(name) ?? '').replace(ESCAPE, '$1');

/** Parses a tag. `source` is a token of `syntax.ts`: `{%`, any text, `%}`. */
export function readTag(source: string): Tag {
  const inner = source.slice(2, -2).trim();
  const space = inner.search(/\s/);
  const name = space < 0 ? inner : inner.slice(0, space);
  const rest = space < 0 ? '' : inner.slice(space).trim();
  const attributes = new Map<string, string>();
  for (const [, key = '', double, single, bare] of rest.matchAll(ATTRIBUTE)) {
    const quoted = double ?? single;
    attributes.set(key, quoted === undefined ? (bare ?? 'true') : quoted.replace(/\\(["'\\])/g, '$1'));
  }
  return { name, rest, attributes, source };
}

/** Returns the address in a tag `include`. */
export function includedAddress({ rest }: Tag): string | undefined {
  return /^(?:"([^"]+)"|'([^']+)'|([^\s"']+))$/.exec(rest)?.slice(1).find(Boolean);
}

/** Returns the visible text of a tag that the contract does not define: its values, and the names of its flags. */
export function textOfTag({ name, content = '' }: { name: string; content?: string | undefined }): string {
  const texts: string[] = [];
  for (const [key, value] of readTag(`{% ${name} ${content} %}`).attributes) {
    const text = value === 'true' ? key : value === 'false' ? '' : value.replace(ESCAPE, '$1').trim();
    if (text !== '') {
      texts.push(text);
    }
  }
  return texts.join(' · ');
}

/** Formats a tag. Attributes that are undefined are omitted; line feeds in values become spaces. */
export function writeTag(
  name: string,
  attributes: Iterable<readonly [string, string | undefined]> = [],
): string {
  let tag = `{% ${name}`;
  for (const [key, value] of attributes) {
    if (value === undefined) {
      continue;
    }
    tag += ` ${key}="${value.replace(/["\\]/g, '\\$&').replace(/[\r\n]+/g, ' ')}"`;
  }
  return `${tag} %}`;
}

/** Returns the attributes that are not listed in `known`; undefined if there are none. */
export function unknownAttributes(
  attributes: Map<string, string>,
  knownNames: string[],
): Record<string, string> | undefined {
  const rest = [...attributes].filter(([name]) => !knownNames.includes(name));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}
