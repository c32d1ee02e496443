import { type CompiledQuery, PostgresAdapter, type QueryExecutorProvider, SelectQueryNode } from 'kysely';

/** A database engine. Not used outside this folder. */
export type Engine = 'sqlite' | 'postgres';

/** Returns the engine of a database or transaction. */
export function engineOf(queries: QueryExecutorProvider): Engine {
  return queries.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Returns whether a query is read-only and can be retried. */
export function isRead({ query, sql }: Pick<CompiledQuery, 'query' | 'sql'>): boolean {
  return SelectQueryNode.is(query) || /^\s*select\s/i.test(sql) || isReadOfExpressions(sql);
}

/** Returns whether a query is a `select` with common table expressions, which could also precede a write. */
const isReadOfExpressions = (sql: string): boolean =>
  /^\s*with\s/i.test(sql) && !/\b(insert\s+into|update|delete\s+from|merge\s+into)\b/i.test(sql);

/** Use of the connections of a process. */
export interface DatabaseLoad {
  /** Number of open connections. */
  connections: number;
  /** Number of calls that wait for a connection, or on the embedded engine, to write. */
  waiting: number;
  /** Numbers of reads outside transactions since the start, by where they were executed; undefined without replicas. */
  reads?: { primary: number; replica: number };
}

/** Watches for committed work, so that nobody searches for it in vain. */
export interface WorkWatch {
  /** Returns whether work is signalled now. Otherwise, poll {@link hasChanged}. */
  isSignalled(): boolean;
  /** Returns whether work may have been committed without a signal since the last call. */
  hasChanged(): boolean;
  stop(): void;
}
