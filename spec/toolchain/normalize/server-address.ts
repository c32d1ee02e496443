import { isObject, type JsonObject } from '../document.ts';
import type { Problem } from '../problem.ts';

/** Characters of paths that routers match as they are. Others are operators of their patterns. */
const LITERAL_PATH = /^(?:[\w\-.~/$&',;=@]|%[\da-f]{2})*$/i;

/**
 * The path of a server's address, without a trailing slash, or why there is none. Clients can call an address that only
 * routers cannot serve.
 */
type ServerPath = { path: string } | { problem: string; isCallable?: true };

/** Reads the base path of the operations on a server of a document (OpenAPI 3.1, Server Object). */
function pathOf({ url, variables }: JsonObject): ServerPath {
  if (typeof url !== 'string') {
    return { problem: 'is not a text' };
  }
  const address = url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    // The default is required, but often missing.
    return isObject(variable) && typeof variable.default === 'string' ? variable.default : '';
  });
  const parsed = URL.parse(address, 'http://localhost');
  if (!parsed) {
    return { problem: 'is not a URL' };
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    return { problem: `has the scheme ${parsed.protocol.slice(0, -1)}, which is not http or https` };
  }
  if (/[?#]/.test(address)) {
    return { problem: 'has a query or a fragment, to which no path can be appended' };
  }
  if (!LITERAL_PATH.test(parsed.pathname)) {
    return {
      problem: `has the path ${parsed.pathname} with characters that are operators of routers, such as : * ( )`,
      isCallable: true,
    };
  }
  return { path: parsed.pathname.replace(/\/+$/, '') };
}

const formatted = (index: number, { url }: JsonObject, problem: string): string =>
  `#/servers/${index}/url ${JSON.stringify(url) ?? 'is missing and'} ${problem}. ` +
  'Use an http or https URL, or a path such as /v1, whose other characters are percent-encoded.';

const serversOf = (servers: unknown): JsonObject[] =>
  Array.isArray(servers) ? servers.map((server) => (isObject(server) ? server : {})) : [];

/**
 * Returns the path of the first server of a document without a trailing slash; empty if there is none.
 *
 * @throws {Error} if its address has no path that a router can serve
 */
export function basePathFrom(servers: unknown): string {
  const [server] = serversOf(servers);
  const read = server ? pathOf(server) : { path: '' };
  if ('problem' in read) {
    throw new Error(formatted(0, server ?? {}, read.problem));
  }
  return read.path;
}

/** Reports the servers of a document without a path that a router can serve, as errors if no client can call them. */
export function serverProblems(document: object): Problem[] {
  return serversOf('servers' in document ? document.servers : undefined).flatMap((server, index) => {
    const read = pathOf(server);
    return 'problem' in read
      ? [
          {
            severity: read.isCallable ? ('warning' as const) : ('error' as const),
            code: 'server-address',
            message: formatted(index, server, read.problem),
          },
        ]
      : [];
  });
}
