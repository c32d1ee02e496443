import { PostgresQueryCompiler, SqliteQueryCompiler } from 'kysely';

/*
 * Kysely's compilers with NUL characters in parameters replaced by U+FFFD, as CommonMark requires for documents
 * (section 2.3). PostgreSQL rejects text with NUL, and SQLite truncates it in some functions.
 */

function replaceNul(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

/** Compiles queries for SQLite. */
export class EmbeddedCompiler extends SqliteQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(replaceNul(parameter));
  }
}

/** Compiles queries for PostgreSQL. */
export class ServerCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(replaceNul(parameter));
  }
}
