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
