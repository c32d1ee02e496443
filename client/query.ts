/**
 * How the parts of a query parameter are written: a list or an object in one value, separated by commas, or (`&`) each
 * property of an object as a parameter of its own.
 */
export type QuerySeparator = ',' | '&';

/** Separators of query parameters by name. */
export type QuerySeparators = Readonly<Record<string, QuerySeparator | undefined>>;

/**
 * Encodes parameters for a query or a form. Without a separator, arrays become repeated names (`tag=a&tag=b`) and
 * objects names in brackets (`created[after]=…`); undefined and null are omitted.
 * @throws URIError for text that cannot be encoded
 * @throws TypeError for a value that commas cannot separate
 */
export function encodeQuery(parameters: object, separators: QuerySeparators = {}): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) => encodeParameter(encodeURIComponent(name), value, separators[name]))
    .join('&');
}

function encodeParameter(name: string, value: unknown, separator?: QuerySeparator): string[] {
  if (value === undefined || value === null) {
    return [];
  }
  if (typeof value !== 'object') {
    return [`${name}=${encodeURIComponent(String(value))}`];
  }
  const isList = Array.isArray(value);
  const isJoined = separator === ',';
  const pairs = Object.entries(value).flatMap(([key, member]) => {
    const encoded = encodeURIComponent(key);
    const own = isJoined || separator === '&' ? encoded : `${name}[${encoded}]`;
    return encodeParameter(isList ? (isJoined ? '' : name) : own, member);
  });
  if (!isJoined) {
    return pairs;
  }
  const text = pairs.map((pair) => pair.replace('=', isList ? '' : ',')).join(',');
  // Many servers decode a text before they split it.
  if (/\[|%2C/.test(text)) {
    throw new TypeError(`Query parameter "${name}" contains a comma or an object.`);
  }
  return text === '' ? [] : [`${name}=${text}`];
}
