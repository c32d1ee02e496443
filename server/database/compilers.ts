import { PostgresQueryCompiler, SqliteQueryCompiler } from 'kysely';

/*
 * Kysely's compilers, with one rule for what may be stored. PostgreSQL refuses text with a NUL character, the
 * embedded engine takes it and then trips over it. NUL can arrive in any path, query or body, so here it becomes
 * U+FFFD for both, which is what CommonMark (section 2.3) asks for in documents: a lookup by such a value finds
 * nothing instead of failing.
 */

function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

export class EmbeddedCompiler extends SqliteQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(storable(parameter));
  }
}

export class ServerCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(storable(parameter));
  }
}
