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
 * and every client resolves `/v1/spaces/../orgs`).
 * @param template a path of the contract, such as `/v1/spaces/{spaceId}`
 * @param values path parameters by name
 * @throws TypeError when a value is missing or cannot be a path segment
 */
export function fillPath(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = values[name];
    const text = String(value ?? '');
    if (typeof value === 'object' || /^\.{0,2}$/.test(text) || !text.isWellFormed()) {
      throw new TypeError(
        `Path parameter "${name}" of ${template} is missing or not an identifier: ${JSON.stringify(value)}. ` +
          'Pass an identifier in params.path.',
      );
    }
    return encodeURIComponent(text);
  });
}
