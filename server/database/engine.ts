import { type CompiledQuery, PostgresAdapter, type QueryExecutorProvider, SelectQueryNode } from 'kysely';

/** The engines behind a database handle. The word never leaves this folder. */
export type Engine = 'sqlite' | 'postgres';

/** Which engine serves `queries`, a handle or a transaction. */
export function engineOf(queries: QueryExecutorProvider): Engine {
  return queries.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Whether a query only reads, so that it may be run any number of times. */
export function isRead({ query, sql }: Pick<CompiledQuery, 'query' | 'sql'>): boolean {
  return SelectQueryNode.is(query) || /^\s*select\s/i.test(sql);
}
