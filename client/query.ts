/**
 * Encodes parameters for a query or a form. Arrays become repeated names (`tag=a&tag=b`), objects names in brackets
 * (`created[after]=…`); undefined and null are omitted.
 * @throws URIError for text that cannot be encoded
 */
export function encodeQuery(parameters: object): string {
  return Object.entries(parameters)
    .flatMap(([name, value]) => encodeParameter(encodeURIComponent(name), value))
    .join('&');
}

function encodeParameter(name: string, value: unknown): string[] {
  if (value === undefined || value === null) {
    return [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item) => encodeParameter(name, item));
  }
  return typeof value === 'object'
    ? Object.entries(value).flatMap(([key, member]) =>
        encodeParameter(`${name}[${encodeURIComponent(key)}]`, member),
      )
    : [`${name}=${encodeURIComponent(String(value))}`];
}
