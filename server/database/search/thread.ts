/** The module that each thread of searches runs. */
import {
  type DatabaseConnection,
  DummyDriver,
  type Expression,
  ExpressionWrapper,
  HandleEmptyInListsPlugin,
  Kysely,
  type OperationNode,
  PostgresAdapter,
  PostgresIntrospector,
  type QueryResult,
  replaceWithNoncontingentExpression,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import { serveTasks } from '../../threads/threads.ts';
import type { Queries } from '../database.ts';
import { EmbeddedCompiler, ServerCompiler } from '../engines/compilers.ts';
import { Handle, READ_ONLY } from '../engines/sqlite-handle.ts';
import { classify, DatabaseUnavailableError, type UnavailableReason } from '../errors.ts';
import type { Schema } from '../schema.ts';
import type { MatchedSection } from './matches.ts';
import { listConditions, rankSections } from './search.ts';
import type { SearchedContent } from './types.ts';

/** A statement for a PostgreSQL server. */
export interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

/** Runs the statements of a thread for PostgreSQL in the main thread, which has its connections. */
export interface StatementHost {
  run(statement: Statement): Promise<unknown[]>;
}

/** {@link SearchedContent} as plain data. */
export interface SearchedContentData extends Omit<SearchedContent, 'spaces' | 'visibleSpace'> {
  spaces: readonly string[] | OperationNode | undefined;
  visibleSpace: OperationNode | undefined;
}

/** A result, or why the database is unavailable: errors lose their properties between threads. */
export type Outcome<T> = { value: T } | { unavailable: UnavailableReason; message: string };

/** A match without its titles, which only its rank depends on. */
export type RankedSection = Pick<MatchedSection, 'id' | 'space' | 'page' | 'rank'>;

/** A task and the file that it reads; undefined for PostgreSQL. */
interface Input<T> {
  file: string | undefined;
  searched: T;
}

/** The connection of this thread. Without a transaction, each statement sees all commits before it. */
let handle: Handle | undefined;

/** The search tasks. */
const tasks = {
  rank: ({ file, searched }: Input<SearchedContentData>, host: StatementHost) =>
    read(file, host, async (queries): Promise<RankedSection[]> => {
      const { spaces, visibleSpace, ...rest } = searched;
      const sections = await rankSections(queries, {
        ...rest,
        spaces: spaces && 'kind' in spaces ? expressionOf(spaces) : spaces,
        visibleSpace: visibleSpace && expressionOf(visibleSpace),
      });
      return sections.map(({ id, space, page, rank }) => ({ id, space, page, rank }));
    }),
  listConditions: (
    { file, searched }: Input<{ organization: string; spaces: readonly string[] }>,
    host: StatementHost,
  ) => read(file, host, (queries) => listConditions(queries, searched)),
};

export type SearchTasks = typeof tasks;

const expressionOf = (node: OperationNode): Expression<unknown> => new ExpressionWrapper(node);

async function read<T>(
  file: string | undefined,
  host: StatementHost,
  work: (queries: Queries) => Promise<T>,
): Promise<Outcome<T>> {
  try {
    return { value: await work(openQueries(file, host)) };
  } catch (error) {
    const classified = classify(error);
    if (!(classified instanceof DatabaseUnavailableError)) {
      throw error;
    }
    // The next search reopens the file.
    handle?.close();
    handle = undefined;
    return {
      unavailable: classified.reason,
      message: error instanceof Error ? error.message : String(error),
    };
  }
}

function openQueries(file: string | undefined, host: StatementHost): Queries {
  const run = async <R>({ sql, parameters }: Statement): Promise<QueryResult<R>> => {
    if (file !== undefined) {
      handle ??= new Handle(file, READ_ONLY);
      return handle.run<R>({ sql, parameters });
    }
    // Kysely infers R from the compiled query.
    return { rows: (await host.run({ sql, parameters })) as R[] };
  };
  const isFile = file !== undefined;
  // Not every engine supports `in ()`.
  const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });
  return new Kysely<Schema>({
    dialect: {
      createDriver: () => new StatementDriver(run),
      createQueryCompiler: () => (isFile ? new EmbeddedCompiler() : new ServerCompiler()),
      createAdapter: () => (isFile ? new SqliteAdapter() : new PostgresAdapter()),
      createIntrospector: (db) => (isFile ? new SqliteIntrospector(db) : new PostgresIntrospector(db)),
    },
    plugins: [emptyLists],
  });
}

/** Kysely's driver over a function that runs statements. */
class StatementDriver extends DummyDriver {
  readonly #run: DatabaseConnection['executeQuery'];

  constructor(run: DatabaseConnection['executeQuery']) {
    super();
    this.#run = run;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    return {
      executeQuery: this.#run,
      streamQuery: (query, size) => connection.streamQuery(query, size),
    };
  }
}

serveTasks(tasks);
