/**
 * The types between any contract and its handlers. `Operations` is the `operations` interface that
 * openapi-typescript writes, `Table` the small table of operations that the generator writes beside it.
 */

/** One row of the table of operations. */
export interface OperationRow {
  readonly method: string;
  /** The path as the contract writes it: `/v1/spaces/{spaceId}`. */
  readonly path: string;
  /** The status of the success response. */
  readonly status: number;
  /** Whether the operation needs a credential. */
  readonly secured: boolean;
  /** The defaults of its query parameters, by name. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** The table of a contract's operations, by operation id. */
export type OperationTable<Id extends string = string> = Readonly<Record<Id, OperationRow>>;

type ParametersIn<Operation, Place extends string> = Operation extends { parameters: infer Parameters }
  ? Place extends keyof Parameters
    ? [NonNullable<Parameters[Place]>] extends [never]
      ? Record<never, never>
      : NonNullable<Parameters[Place]>
    : Record<never, never>
  : Record<never, never>;

type WithDefaults<Query, Defaults> = Query & Required<Pick<Query, Extract<keyof Defaults, keyof Query>>>;

type JsonOf<Message> = Message extends { content: infer Content }
  ? 'application/json' extends keyof Content
    ? Content['application/json']
    : undefined
  : undefined;

type BodyOf<Operation> = Operation extends { requestBody: infer Body }
  ? JsonOf<Body>
  : Operation extends { requestBody?: infer Body }
    ? [NonNullable<Body>] extends [never]
      ? undefined
      : JsonOf<NonNullable<Body>> | undefined
    : undefined;

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206;

type Successes<Operation> = Operation extends { responses: infer Responses }
  ? { [Status in Extract<keyof Responses, SuccessStatus>]: JsonOf<Responses[Status]> }
  : never;

type IsUnion<Type, Whole = Type> = Type extends Whole ? ([Whole] extends [Type] ? false : true) : never;

/** A reply that says its status, for an operation that declares several successes. */
export type ReplyOf<Operation> = {
  [Status in keyof Successes<Operation>]: { status: Status; body: Successes<Operation>[Status] };
}[keyof Successes<Operation>];

/**
 * What a handler answers: the body of the operation's success response (nothing where it declares
 * none), or `{ status, body }` where the contract declares several successes.
 */
export type Answer<Operation> =
  IsUnion<keyof Successes<Operation>> extends true
    ? ReplyOf<Operation>
    : Successes<Operation>[keyof Successes<Operation>] extends undefined
      ? undefined
      : Successes<Operation>[keyof Successes<Operation>];

/** A validated request: what the contract let through, typed by it, with its defaults filled in. */
export interface RequestOf<Operation, Row = { defaults: Record<never, never> }> {
  readonly path: ParametersIn<Operation, 'path'>;
  readonly query: WithDefaults<
    ParametersIn<Operation, 'query'>,
    Row extends { defaults: infer Defaults } ? Defaults : never
  >;
  readonly body: BodyOf<Operation>;
}

/** The function that serves one operation. */
export type Handler<Operation, Row, Context> = (
  request: RequestOf<Operation, Row>,
  context: Context,
) => Promise<Answer<Operation>>;

/**
 * The handlers of a whole contract: one for each operation id, no more and no fewer. A missing or
 * unknown handler, a body that does not fit, a body where none is declared: each is a compile error.
 */
export type Handlers<Operations, Table, Context> = {
  [Id in keyof Operations & keyof Table]: Handler<Operations[Id], Table[Id], Context>;
};
