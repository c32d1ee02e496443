import type { Schema } from '../../model/schema/schema.ts';
import { isOfParser } from '../wire/response.ts';
import type { Check, CheckedExchange } from './check.ts';
import { matchResponse } from './declared.ts';
import { operationLine, truncate } from './location.ts';
import { isOfOperation } from './status.ts';

/** Checks response headers. */
export const declaredHeaders: Check = {
  name: 'declared-headers',
  rule: 'Required response headers are present, and declared headers are valid for their schemas.',
  verify(checked) {
    const { operation, exchange, schemas } = checked;
    const { response } = exchange;
    const declared =
      response && isOfOperation(checked) ? matchResponse(operation, response.status) : undefined;
    if (!response || !declared || isOfParser(response)) {
      return undefined;
    }
    for (const [name, { required, schema }] of Object.entries(declared.response.headers)) {
      // The media type has its own checks (OpenAPI, Response Object, headers).
      if (name === 'content-type') {
        continue;
      }
      const value = response.headers[name];
      const declaration = `${operation.id} under ${declared.key}`;
      if (value === undefined) {
        if (!required) {
          continue;
        }
        return {
          message: `${operationLine(operation)} returned ${response.status} without the header ${name}.`,
          expected: `The contract requires the header ${name} of ${declaration}.`,
          cause: `header ${name} missing under ${declared.key}`,
        };
      }
      if (schema === undefined || valuesOf(value).some((parsed) => schemas.accepts(schema, parsed))) {
        continue;
      }
      return {
        message: `${operationLine(operation)} returned ${response.status} with an invalid header, ${name}: ${truncate(value)}: ${violationOf(checked, schema, value)}.`,
        expected: `The contract declares ${truncate(JSON.stringify(schema))} for the header ${name} of ${declaration}.`,
        cause: `header ${name} invalid under ${declared.key}`,
      };
    }
    return undefined;
  },
};

/**
 * Returns the possible values of a header (OpenAPI, style simple): a string, a number, a boolean, null, or an array of
 * these.
 */
function valuesOf(text: string): unknown[] {
  const list = text === '' ? [] : text.split(',').map((part) => part.trim());
  return [...scalarsOf(text), list, list.map((part) => scalarsOf(part).at(-1))];
}

function scalarsOf(text: string): unknown[] {
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) {
    return [text, Number(text)];
  }
  if (text === 'true' || text === 'false') {
    return [text, text === 'true'];
  }
  return text === '' ? [text, null] : [text];
}

function violationOf({ schemas }: CheckedExchange, schema: Schema, value: string): string {
  const [fault] = schemas.faults(schema, scalarsOf(value).at(-1));
  return fault?.message ?? 'it is invalid';
}
