/** A request and the answer that the service gave to it, for servers that give the same. */
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

/** The variable that hands exchanges to a child. */
export function exchangesFor(exchanges: readonly Exchange[]): Record<string, string> {
  return { [NAME]: JSON.stringify(exchanges) };
}

/** What the parent handed over. */
export function readExchanges(): Exchange[] {
  return JSON.parse(process.env[NAME] ?? '[]');
}
