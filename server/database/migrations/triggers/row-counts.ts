import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../../engine.ts';

/** Rows of a table that are counted together. The functions receive a row as `new` or `old`. */
export interface CountedRows {
  table: string;
  kind: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Organization of the count: by default that of the row; '' for the service. */
  organization?: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** ID of the owner of the rows; '' for the organization. */
  owner?: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Condition of the counted rows. If omitted, all rows are counted. */
  when?: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** What a row adds to the number: 1 if omitted. `when` must exclude rows that add 0. */
  amount?: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
}

/** A column of the row. */
export const column = (name: string) => (row: RawBuilder<unknown>) => sql`${row}.${sql.ref(name)}`;
/** The same text for each row. */
export const constant = (value: string) => () => sql`${sql.lit(value)}`;

/**
 * Creates the triggers that maintain `rowCounts` in the transaction that changes the rows. Does not count the rows that
 * exist, see {@link countExistingRows}: the baseline creates them for empty tables.
 *
 * @param name the first part of the names of the triggers
 */
export async function createRowCounts(
  db: Kysely<unknown>,
  name: string,
  counts: readonly CountedRows[],
): Promise<void> {
  if (engineOf(db) === 'postgres') {
    await createStatementTriggers(db, name, counts);
  } else {
    await createRowTriggers(db, name, counts);
  }
}

const organizationOf = ({ organization }: CountedRows, row: RawBuilder<unknown>) =>
  organization?.(row) ?? sql`${row}."organization"`;

const keyOf = (counted: CountedRows, row: RawBuilder<unknown>) => {
  const { kind, owner = constant('') } = counted;
  return sql`${organizationOf(counted, row)} as "organization", ${kind(row)} as "kind", ${owner(row)} as "owner"`;
};

const amountOf = ({ amount }: CountedRows, row: RawBuilder<unknown>) => amount?.(row) ?? sql.lit(1);

/** What the number changes by if a row is added, or removed. */
const deltaOf = (counted: CountedRows, row: RawBuilder<unknown>, sign: 1 | -1) =>
  counted.amount ? sql`${sql.raw(sign === 1 ? '' : '-')}${counted.amount(row)}` : sql.lit(sign);

/** Selects the key of the count of each row that is counted, and what the row adds to it. */
export function countedKeys(counted: CountedRows): RawBuilder<unknown> {
  const row = sql.table('counted');
  return sql`select ${keyOf(counted, row)}, ${amountOf(counted, row)} as "amount" from ${sql.table(counted.table)} as ${row} where ${whenOf(counted, row)}`;
}

/** Counts the rows that exist when the triggers are created. */
export async function countExistingRows(db: Kysely<unknown>, counts: readonly CountedRows[]): Promise<void> {
  for (const counted of counts) {
    await sql`
      insert into "rowCounts" ("organization", "kind", "owner", "shard", "value")
      select "organization", "kind", "owner", 0, sum("amount") from (
        ${countedKeys(counted)}
      ) as "counted" group by "organization", "kind", "owner"`.execute(db);
  }
}

const whenOf = ({ when }: CountedRows, row: RawBuilder<unknown>) => when?.(row) ?? sql`1 = 1`;

/** Creates one trigger per event and count, called for each row. */
async function createRowTriggers(
  db: Kysely<unknown>,
  name: string,
  counts: readonly CountedRows[],
): Promise<void> {
  const [created, removed] = [sql`new`, sql`old`];
  for (const [number, counted] of counts.entries()) {
    const add = (row: RawBuilder<unknown>, sign: 1 | -1) => sql`
      insert into "rowCounts" ("organization", "kind", "owner", "shard", "value")
      select ${keyOf(counted, row)}, 0, ${deltaOf(counted, row, sign)} where ${whenOf(counted, row)}
      on conflict ("organization", "kind", "owner", "shard")
        do update set "value" = "value" + excluded."value";`;
    // A count of 0 has no row.
    const subtract = sql`${add(removed, -1)}
      delete from "rowCounts" where "value" = 0 and ("organization", "kind", "owner") =
        (select "organization", "kind", "owner" from (select ${keyOf(counted, removed)}));`;
    const trigger = (event: string, when: RawBuilder<unknown>, body: RawBuilder<unknown>) =>
      sql`
        create trigger ${sql.ref(`${name}_${number}_${event}`)} after ${sql.raw(event)}
        on ${sql.table(counted.table)} when ${when} begin ${body} end`.execute(db);
    const ofAmount = (row: RawBuilder<unknown>) => (counted.amount ? sql`, ${counted.amount(row)}` : sql``);
    const keys = (row: RawBuilder<unknown>) =>
      sql`(${organizationOf(counted, row)}, ${counted.kind(row)}, ${counted.owner?.(row) ?? sql`''`}, ${whenOf(counted, row)}${ofAmount(row)})`;
    await trigger('insert', whenOf(counted, created), add(created, 1));
    await trigger('delete', whenOf(counted, removed), subtract);
    await trigger(
      'update',
      sql`${keys(created)} is not ${keys(removed)}`,
      sql`${add(created, 1)} ${subtract}`,
    );
  }
}

/** Number of shards of a count: more than the connections that are usually active. */
const SHARDS = 64;

/** Creates one trigger per table and event, called once for all rows of a statement. */
async function createStatementTriggers(
  db: Kysely<unknown>,
  name: string,
  counts: readonly CountedRows[],
): Promise<void> {
  const events = {
    insert: { tables: sql`new table as created`, rows: [['created', 1]] },
    delete: { tables: sql`old table as removed`, rows: [['removed', -1]] },
    update: {
      tables: sql`old table as removed new table as created`,
      rows: [
        ['created', 1],
        ['removed', -1],
      ],
    },
  } as const;
  for (const tableName of new Set(counts.map((counted) => counted.table))) {
    for (const [event, { tables, rows }] of Object.entries(events)) {
      const changes = counts
        .filter((counted) => counted.table === tableName)
        .flatMap((counted) =>
          rows.map(([rowName, sign]) => {
            const row = sql.table(rowName);
            return sql`select ${keyOf(counted, row)}, ${deltaOf(counted, row, sign)} as delta from ${row} where ${whenOf(counted, row)}`;
          }),
        );
      const trigger = sql.ref(`${name}_${tableName}_${event}`);
      await sql`
        create function ${trigger}() returns trigger language plpgsql as $$
        begin
          insert into "rowCounts" ("organization", "kind", "owner", "shard", "value")
          select "organization", "kind", "owner", pg_backend_pid() % ${sql.lit(SHARDS)}, sum(delta)
          from (${sql.join(changes, sql` union all `)}) as changes
          group by "organization", "kind", "owner" having sum(delta) <> 0
          -- In one order, so that no two writers wait for each other.
          order by "organization", "kind", "owner"
          on conflict ("organization", "kind", "owner", "shard")
            do update set "value" = "rowCounts"."value" + excluded."value";
          return null;
        end $$`.execute(db);
      await sql`
        create trigger ${trigger} after ${sql.raw(event)} on ${sql.table(tableName)}
        referencing ${tables} for each statement execute function ${trigger}()`.execute(db);
    }
  }
}
