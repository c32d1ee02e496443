import { requestMalformed } from '../../errors.ts';

/** A request target, split into its raw path and query. */
export interface Target {
  path: string;
  /** Without the question mark; empty if there is no query. */
  query: string;
}

/**
 * Parses a request target. The absolute form (`GET http://host/path`), which a server must accept (RFC 9112,
 * section 3.2.2), is reduced to its path.
 *
 * @throws ContractError 400 if the target contains a fragment
 */
export function parseTarget(url: string): Target {
  if (url.includes('#')) {
    throw requestMalformed(
      'The request target contains a #. Omit the fragment, or encode the character as %23.',
      [{ in: 'path', path: '', message: 'must not contain a #' }],
    );
  }
  const origin = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = origin.indexOf('?');
  return mark < 0
    ? { path: origin, query: '' }
    : { path: origin.slice(0, mark), query: origin.slice(mark + 1) };
}

/** Maximum number of query parameters, including repeated ones. */
export const MAX_QUERY_PARAMETERS = 2000;
