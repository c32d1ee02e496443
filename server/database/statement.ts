import { type CompiledQuery, type Expression, type Kysely, type OperationNode, ValueNode } from 'kysely';
import { type Engine, engineOf } from './engine.ts';
import { storedValue } from './engines/compilers.ts';
import type { Schema } from './schema.ts';

/** The parameters of a statement, as parts of its query. */
export type ParametersOf<Values> = { readonly [Name in keyof Values]: Expression<Values[Name]> };

/** A statement that is compiled once for each engine. */
export interface Statement<Values, Row> {
  /** Executes it with values of its parameters, and returns its rows. */
  rows(queries: Kysely<Schema>, values: Values): Promise<Row[]>;
  /** Returns its first row; undefined without rows. */
  first(queries: Kysely<Schema>, values: Values): Promise<Row | undefined>;
}

/** The rows of a statement. */
export type RowOf<Prepared> = Prepared extends Statement<never, infer Row> ? Row : never;

/**
 * Creates a statement whose text does not depend on its parameters. For statements of nearly every request: to build and
 * compile a query takes longer than to execute it on SQLite.
 *
 * @param build builds and compiles the query. It is called once for each engine, and must depend on nothing else
 * @example
 * const findTeam = statement((queries, { id }: ParametersOf<{ id: string }>) =>
 *   queries.selectFrom('teams').selectAll().where('id', '=', id).compile())
 * const team = await findTeam.first(queries, { id: 'team_1' })
 */
export function statement<Values extends object, Row>(
  build: (queries: Kysely<Schema>, parameters: ParametersOf<Values>) => CompiledQuery<Row>,
): Statement<Values, Row> {
  return new CompiledOnce(build);
}

class CompiledOnce<Values extends object, Row> implements Statement<Values, Row> {
  readonly #build: (queries: Kysely<Schema>, parameters: ParametersOf<Values>) => CompiledQuery<Row>;
  readonly #compiled: Partial<Record<Engine, CompiledQuery<Row>>> = {};

  constructor(build: (queries: Kysely<Schema>, parameters: ParametersOf<Values>) => CompiledQuery<Row>) {
    this.#build = build;
  }

  async rows(queries: Kysely<Schema>, values: Values): Promise<Row[]> {
    const engine = engineOf(queries);
    this.#compiled[engine] ??= this.#build(queries, parametersOf<Values>());
    const { query, queryId, sql, parameters } = this.#compiled[engine];
    const executor = queries.getExecutor();
    // Lets the plugins reject it, as they do when a query is compiled.
    executor.transformQuery(query, queryId);
    const bound = parameters.map((parameter) =>
      parameter instanceof Parameter ? storedValue(engine, parameter.valueIn(values)) : parameter,
    );
    const result = await executor.executeQuery<Row>({ query, queryId, sql, parameters: bound });
    return result.rows;
  }

  async first(queries: Kysely<Schema>, values: Values): Promise<Row | undefined> {
    const [row] = await this.rows(queries, values);
    return row;
  }
}

/** A part of a query that is replaced by a value when the statement is executed. */
class Parameter<Value> implements Expression<Value> {
  readonly #name: PropertyKey;

  constructor(name: PropertyKey) {
    this.#name = name;
  }

  get expressionType(): Value | undefined {
    return undefined;
  }

  toOperationNode(): OperationNode {
    return ValueNode.create(this);
  }

  valueIn(values: object): unknown {
    // The type of the statement requires a value of each parameter.
    return (values as Record<PropertyKey, unknown>)[this.#name];
  }
}

/** Returns an object that has a parameter of any name. */
function parametersOf<Values>(): ParametersOf<Values> {
  // Its type has the names that the statement declares.
  return new Proxy({}, { get: (_, name) => new Parameter(name) }) as ParametersOf<Values>;
}
