/** A request and the response of the service, for servers that return the same. */
export interface Exchange {
  operation: string;
  method: 'GET' | 'POST';
  /** Path and query. */
  target: string;
  pathname: string;
  send?: object;
  status: number;
  /** Headers of the response that the contract requires. */
  headers?: Record<string, string>;
  body: unknown;
}

const NAME = 'BENCH_EXCHANGES';

/** Variable that passes exchanges to a child. */
export function exchangesFor(exchanges: readonly Exchange[]): Record<string, string> {
  return { [NAME]: JSON.stringify(exchanges) };
}

/** Exchanges from the parent. */
export function readExchanges(): Exchange[] {
  return JSON.parse(process.env[NAME] ?? '[]');
}

/** Returns a path template of a contract in the syntax of routers: `/spaces/:spaceId`. */
export const routeOf = (template: string): string => template.replaceAll(/\{(\w+)\}/g, ':$1');
