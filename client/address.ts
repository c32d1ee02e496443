/**
 * Checks the address that every path is appended to.
 * @param baseUrl absolute, or relative to the page in a browser
 * @returns the address without slashes at its end
 * @throws TypeError when it carries what cannot be part of it; the message names no secret
 */
export function readBaseUrl(baseUrl: string): string {
  if (/[?#{}\s]/.test(baseUrl)) {
    throw new TypeError(
      'baseUrl holds a query, a fragment, a brace or a space: pass scheme, host and path alone.',
    );
  }
  if (/^[a-z][a-z\d+.-]*:\/*[^/]*@/i.test(baseUrl)) {
    throw new TypeError('baseUrl holds a user name or password, which fetch refuses: pass a token instead.');
  }
  return baseUrl.replace(/\/+$/, '');
}

/**
 * Puts values into a path of the contract.
 *
 * An empty value, `.` and `..` would make the address of something else (`/v1/spaces/` is not a space, and every
 * client resolves `/v1/spaces/../orgs`), so they are refused.
 * @param template a path of the contract, such as `/v1/spaces/{spaceId}`
 * @param values its values by name
 * @throws TypeError when a value is missing or cannot be a path segment
 */
export function fillPath(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new TypeError(`the path value "${name}" of ${template} is missing: pass it in params.path.`);
    }
    const text = String(value);
    if (text === '' || text === '.' || text === '..' || !text.isWellFormed()) {
      throw new TypeError(
        `the path value "${name}" of ${template} is ${JSON.stringify(text)}, ` +
          'which would name something else or nothing: pass the id of one thing.',
      );
    }
    return encodeURIComponent(text);
  });
}
