import { encodePart, encodeValue, type ParameterStyles, styleOf } from './query.ts';

/**
 * Validates the base URL that every path is appended to.
 * @param baseUrl absolute, or relative to the page in a browser
 * @returns the URL without trailing slashes
 * @throws TypeError for a query, fragment, credentials, brace or space; the message contains no secret
 */
export function readBaseUrl(baseUrl: string): string {
  if (/[?#{}\s]/.test(baseUrl)) {
    throw new TypeError(
      'baseUrl contains a query, a fragment, a brace or a space. Pass only scheme, host and path.',
    );
  }
  if (/^[a-z][a-z\d+.-]*:\/*[^/]*@/i.test(baseUrl)) {
    throw new TypeError('baseUrl contains a user name or password. Pass a token instead.');
  }
  return baseUrl.replace(/\/+$/, '');
}

/**
 * Fills a path template of the contract.
 *
 * An empty value, `.` and `..` are rejected, because the URL would name another resource (`/v1/spaces/` is not a space,
 * and every client resolves `/v1/spaces/../orgs`); in a value of several segments, such a segment, and a leading slash
 * after a slash of the path, which would name another host.
 * @param template a path of the contract, such as `/v1/spaces/{spaceId}`, or `/files/{+path}`, where the value keeps
 * its slashes and other reserved characters (RFC 6570, section 3.2.3)
 * @param values path parameters by name
 * @param styles styles of those that are lists, objects, or not in the style `simple`
 * @throws TypeError when a value is missing or cannot be a path segment
 */
export function fillPath(
  template: string,
  values: Readonly<Record<string, unknown>>,
  styles?: ParameterStyles,
): string {
  return template.replace(/\{(\+?)([^{}]+)\}/g, (_, plus: string, name: string, index: number) => {
    const [value, style] = [values[name], styleOf(styles, name)];
    // Lists and objects have a style.
    const isValid = style ? value !== undefined && value !== null : typeof value !== 'object';
    const isText = typeof value !== 'string' || value.isWellFormed();
    const encode = plus === '' ? encodePart : expandReserved;
    const text =
      isValid && isText ? (style ? encodeValue(name, value, style) : encode(String(value ?? ''))) : '';
    const isUnsafe = text === '' || DOTS.test(text) || (plus !== '' && index === 1 && text.startsWith('/'));
    if (isUnsafe) {
      throw new TypeError(
        `Path parameter "${name}" of ${template} is missing or not an identifier: ${JSON.stringify(value)}. ` +
          'Pass an identifier in params.path.',
      );
    }
    return text;
  });
}

/** A segment that clients resolve, in any spelling. */
const DOTS = /(^|\/)(\.|%2e){1,2}($|\/)/i;

/** Encodes what is neither reserved nor encoded already. A query or fragment would begin at `?` and `#`. */
const expandReserved = (text: string): string =>
  text.replace(/%[\da-f]{2}|[^!$%&-;=@-Z_a-z~[\]]+|%/gi, (part) =>
    part.length === 3 && part.startsWith('%') ? part : encodeURIComponent(part),
  );
