import type { RawBuilder, Selectable } from 'kysely';
import type { Queries } from '../../../database/database.ts';
import type { Schema } from '../../../database/schema.ts';
import type { NewJob } from '../../../jobs/queue.ts';
import type { CREATED, Field, FreshSource, MAINTAINED } from './fields.ts';

/** A column of a noun, and whether its values travel. */
export type Column<Stored> = Field<Stored> | typeof MAINTAINED | typeof CREATED;

type Row<Table extends keyof Schema> = Selectable<Schema[Table]>;

/** Every column but that of the organization: a new column does not compile before it is listed. */
type Columns<Table extends keyof Schema> = {
  readonly [Name in Exclude<keyof Row<Table>, 'organization'>]: Column<Row<Table>[Name]>;
};

/** What an import has determined about the place that it writes to. */
export interface ImportTarget {
  queries: Queries;
  /** ID of the imported organization. */
  organization: string;
}

/** Rows to import, and why others are omitted. */
export interface RetainedRows<R> {
  rows: readonly R[];
  problems?: readonly string[];
}

interface Definition<Table extends keyof Schema> {
  columns: Columns<Table>;
  /** Columns that identify a row, in the order in which rows are exported. */
  key: readonly (keyof Row<Table> & string)[];
  /** Whether the rows are written in the last transaction, because the organization is in use with them. */
  isLast?: boolean;
  /** The column with the ID of a row that must exist before this one. */
  parent?: keyof Row<Table> & string;
  /** Which rows travel; all by default. */
  where?: RawBuilder<boolean>;
  /** Creates the values of the columns that do not travel. */
  create?(source: FreshSource): Partial<Row<Table>>;
  /** Omits rows that the server cannot have. */
  retain?(target: ImportTarget, rows: readonly Row<Table>[]): Promise<RetainedRows<Row<Table>>>;
  /** Returns the work that an imported row requires. */
  jobs?(row: Row<Table>): NewJob<unknown>[];
}

/** Rows of any table, as an export and an import treat them. */
export type AnyRow = Readonly<Record<string, unknown>>;

/** How the resources of a noun leave a server, and arrive at another one. */
export interface Transfer {
  readonly table: keyof Schema;
  readonly columns: Readonly<Record<string, Column<unknown>>>;
  readonly key: readonly string[];
  readonly isLast: boolean;
  readonly parent: string | undefined;
  readonly where: RawBuilder<boolean> | undefined;
  create(source: FreshSource): AnyRow;
  retain(target: ImportTarget, rows: readonly AnyRow[]): Promise<RetainedRows<AnyRow>>;
  readonly jobs: ((row: AnyRow) => NewJob<unknown>[]) | undefined;
}

/** Defines how the rows of a table travel: one record each, in a file with the name of the table. */
export function defineTransfer<Table extends keyof Schema>(
  table: Table,
  { columns, key, isLast = false, parent, where, create, retain, jobs }: Definition<Table>,
): Transfer {
  return {
    table,
    // The functions of a definition are only called with rows and values of its table.
    columns: columns as unknown as Transfer['columns'],
    key,
    isLast,
    parent,
    where,
    create: (source) => ({ ...create?.(source) }),
    retain: async (target, rows) =>
      (await retain?.(target, rows as unknown as readonly Row<Table>[])) ?? { rows },
    jobs: jobs && ((row) => jobs(row as unknown as Row<Table>)),
  };
}
