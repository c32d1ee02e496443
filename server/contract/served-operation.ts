import { type BodyReader, bodyReader } from './body.ts';
import type { BodyMemory } from './body-memory.ts';
import { type HttpMethod, type OperationObject, parametersOf, schemaOf } from './document.ts';
import { missingHandler } from './missing-handlers.ts';
import type { RouterOptions } from './router-options.ts';
import { NUMBER_TEXT, type QueryNames } from './target.ts';
import type { OperationRow } from './types.ts';
import { createValidation, type Validation } from './validation.ts';

type AnyHandler<Context> = (
  request: { path: object; query: object; body: unknown },
  context: Context,
) => Promise<unknown>;

/** An operation prepared for serving. */
export interface ServedOperation<Context> {
  id: string;
  row: OperationRow;
  object: OperationObject;
  /** Whether the contract declares several success statuses, so that the handler returns the status. */
  hasSeveralStatuses: boolean;
  /** Whether a success response has a body. */
  hasResponseBody: boolean;
  queryNames: QueryNames;
  body: BodyReader;
  validation: Validation;
  handler: AnyHandler<Context>;
}

/**
 * Prepares an operation: its handler, and the readers and validators of its requests.
 *
 * @throws Error if the operation table does not match the contract
 */
export function serveOperation<Operations, Table, Context>(
  { document, operations, handlers, bodyDeadlineMs, validations }: RouterOptions<Operations, Table, Context>,
  memory: BodyMemory,
  method: HttpMethod,
  object: OperationObject,
): ServedOperation<Context> {
  const id = object.operationId;
  // Both tables are keyed by operation id, but may have been generated from another contract.
  const row = (operations as Readonly<Record<string, OperationRow | undefined>>)[id];
  const handler = (handlers as Readonly<Record<string, AnyHandler<Context> | undefined>>)[id];
  if (!row || row.method !== method) {
    throw new Error(`The operation table does not match the contract: ${id}. Regenerate it.`);
  }
  const queryNames = parametersOf(document, object).flatMap(({ in: location, name, schema }) => {
    const { type } = schemaOf(document, schema);
    const form = type === 'integer' || type === 'number' ? NUMBER_TEXT : undefined;
    return location === 'query' ? [[name, form] satisfies [string, RegExp | undefined]] : [];
  });
  const validation = validations?.get(id) ?? createValidation(document, object);
  validations?.set(id, validation);
  const successes = Object.entries(object.responses).filter(([status]) => status.startsWith('2'));
  return {
    id,
    row,
    object,
    hasSeveralStatuses: successes.length > 1,
    hasResponseBody: successes.some(([, { content }]) => content),
    queryNames: new Map(queryNames),
    body: bodyReader(object, memory, bodyDeadlineMs),
    validation,
    handler: handler ?? missingHandler(id),
  };
}
