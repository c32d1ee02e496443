import { isObject, type Json } from '../../document.ts';

/** Describes the change of a list of servers. Returns `undefined` if each of the previous URLs is still in it. */
export function serversMessage(base: Json | undefined, head: Json | undefined): string | undefined {
  const [before, after] = [urlsOf(base), urlsOf(head)];
  return before.every((url) => after.includes(url))
    ? undefined
    : `The server URLs changed from ${before.join(', ')} to ${after.join(', ')}.`;
}

/** URLs of servers; default: `/`, relative to the document (OpenAPI 3.1, OpenAPI Object). */
function urlsOf(servers: Json | undefined): string[] {
  const list = Array.isArray(servers) ? servers.filter(isObject) : [];
  return list.length === 0 ? ['/'] : list.map(({ url }) => String(url));
}
