/** The platform's tags as text, `{% name key="value" … %}`, and what is not known among attributes. */

/** A tag taken apart. */
export interface Tag {
  /** The first word, such as `hint`, `endhint` or `@mermaid/diagram`. */
  name: string;
  /** What follows the name, as written. */
  rest: string;
  /** The attributes in the rest; one without a value has the value `true`. */
  attributes: Map<string, string>;
  /** The whole tag as written. */
  source: string;
}

const ATTRIBUTE = /([^\s="]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"]+)))?/g;

/** Takes a tag apart. `source` is what `syntax.ts` found: `{%`, anything, `%}`. */
export function readTag(source: string): Tag {
  const inner = source.slice(2, -2).trim();
  const space = inner.search(/\s/);
  const name = space < 0 ? inner : inner.slice(0, space);
  const rest = space < 0 ? '' : inner.slice(space).trim();
  const attributes = new Map<string, string>();
  for (const [, key = '', quoted, bare] of rest.matchAll(ATTRIBUTE)) {
    attributes.set(key, quoted === undefined ? (bare ?? 'true') : quoted.replace(/\\(["\\])/g, '$1'));
  }
  return { name, rest, attributes, source };
}

/** Writes a tag. Attributes without a value are left out; a line feed in a value becomes a space. */
export function writeTag(
  name: string,
  attributes: Iterable<readonly [string, string | undefined]> = [],
): string {
  let tag = `{% ${name}`;
  for (const [key, value] of attributes) {
    if (value === undefined) continue;
    tag += ` ${key}="${value.replace(/["\\]/g, '\\$&').replace(/[\r\n]+/g, ' ')}"`;
  }
  return `${tag} %}`;
}

/** The attributes that are not among those named; undefined where there are none. */
export function others(attributes: Map<string, string>, known: string[]): Record<string, string> | undefined {
  const rest = [...attributes].filter(([name]) => !known.includes(name));
  return rest.length > 0 ? Object.fromEntries(rest) : undefined;
}
