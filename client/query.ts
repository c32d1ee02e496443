/**
 * How a parameter is written that is not in the default style of its location. In a query, lists repeat the name by
 * default, and objects have names in brackets; elsewhere, commas separate items, properties and their values.
 *
 * - `,` `|` ` ` separates the items of a list, or the properties of an object and their values, in one value
 * - `&` writes the properties of an object as parameters of their own
 * - `[]` writes items and properties with names in brackets
 * - `+` after another style, or instead of one, does not encode reserved characters
 * - `json` writes JSON; another media type is that of a field of `multipart/form-data`
 * - a list is the text before the first part, the separator, and the text between a property and its value
 */
export type ParameterStyle =
  | `${'' | ',' | '|' | ' ' | '&' | '[]'}${'' | '+'}`
  | 'json'
  | `${string}/${string}`
  | readonly [before: string, separator: string, equals?: string];

/** Styles of parameters by name. */
export type ParameterStyles = Readonly<Record<string, ParameterStyle | undefined>>;

/** Encodes a text of a parameter. */
type Encode = (part: unknown) => string;

/** Encodes a text of a parameter for a URL. */
export const encodePart: Encode = (part) => encodeURIComponent(String(part));

/** Returns the style of a parameter. Its name can be that of a property of all objects. */
export const styleOf = (styles: ParameterStyles | undefined, name: string): ParameterStyle | undefined =>
  styles && Object.hasOwn(styles, name) ? styles[name] : undefined;

/**
 * Encodes parameters for a query or a form; undefined and null are omitted.
 * @throws URIError for text that cannot be encoded
 * @throws TypeError for a value that contains the separator of its style
 */
export const encodeQuery = (parameters: object, styles?: ParameterStyles): string =>
  encodePairs(parameters, styles).join('&');

/** Encodes parameters as pairs of names and values, which `&` separates in a query, and `; ` in a `Cookie` header. */
export const encodePairs = (parameters: object, styles?: ParameterStyles): string[] =>
  Object.entries(parameters).flatMap(([name, value]) =>
    pairsOf(encodePart(name), value, String(styleOf(styles, name) ?? '')),
  );

function pairsOf(name: string, value: unknown, style: string): string[] {
  if (value === undefined || value === null) {
    return [];
  }
  if (style === '' && typeof value !== 'object') {
    return [`${name}=${encodePart(value)}`];
  }
  const reserved = style.endsWith('+') ? '+' : '';
  const encode: Encode = (part) =>
    reserved ? encodeURI(String(part)).replace(/[&#+]/g, encodePart) : encodePart(part);
  if (typeof value !== 'object' || style === 'json') {
    return [`${name}=${encode(style === 'json' ? JSON.stringify(value) : value)}`];
  }
  const [kind = ''] = style;
  if (/[,| ]/.test(kind)) {
    const text = encodeValue(name, value, ['', kind === ',' ? kind : encodePart(kind)]);
    return text === '' ? [] : [`${name}=${text}`];
  }
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, member]) =>
    pairsOf(
      kind === '&' && !isList
        ? encodePart(key)
        : isList && kind !== '[' && typeof member !== 'object'
          ? name
          : `${name}[${encodePart(key)}]`,
      member,
      (kind === '&' ? '' : '[]') + reserved,
    ),
  );
}

/**
 * Encodes the value of a path or header parameter.
 * @throws TypeError for a list or object that contains a separator, a list or an object
 */
export function encodeValue(
  name: string,
  value: unknown,
  style: ParameterStyle = ['', ','],
  encode: Encode = encodePart,
): string {
  if (style === 'json') {
    return encode(JSON.stringify(value));
  }
  const [before, separator, equals = separator] = style;
  const one: Encode = (part) => {
    const text = encode(part);
    if (typeof part === 'object' || text.includes(String(separator))) {
      throw new TypeError(`Parameter "${name}" contains a separator or an object.`);
    }
    return text;
  };
  const parts =
    typeof value === 'object'
      ? Object.entries(value ?? {}).flatMap(([key, member]) =>
          member === undefined || member === null
            ? []
            : Array.isArray(value)
              ? one(member)
              : one(key) + equals + one(member),
        )
      : [encode(value)];
  return before + parts.join(separator);
}

/** Encodes header parameters. Their texts are not percent-encoded; JSON is in ASCII. */
export const encodeHeaders = (parameters: object, styles?: ParameterStyles): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]) => {
      const style = styleOf(styles, name);
      const encode: Encode = (part) =>
        style === 'json'
          ? String(part).replace(
              /[^ -~]/g,
              (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
            )
          : String(part);
      return value === undefined || value === null ? [] : [[name, encodeValue(name, value, style, encode)]];
    }),
  );
