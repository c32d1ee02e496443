/** A request and the response of the service, for servers that return the same. */
export interface Exchange {
  operation: string;
  method: 'GET' | 'POST';
  /** Path and query. */
  target: string;
  pathname: string;
  send?: object;
  status: number;
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
