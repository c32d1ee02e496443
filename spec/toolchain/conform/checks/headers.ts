import type { Schema } from '../schema/schema.ts';
import type { Check, Moment } from './check.ts';
import { declaredAnswer } from './declared.ts';
import { lineOf, short } from './place.ts';
import { isOfOperation } from './status.ts';

/** Headers are those of the contract. */
export const declaredHeaders: Check = {
  name: 'declared-headers',
  asks: 'Headers that the contract requires are there, and those it declares have values of their schemas.',
  judge(moment) {
    const { operation, exchange, schemas } = moment;
    const { answer } = exchange;
    const declared = answer && isOfOperation(moment) ? declaredAnswer(operation, answer.status) : undefined;
    if (!answer || !declared) return undefined;
    for (const [name, { required, schema }] of Object.entries(declared.answer.headers)) {
      // The media type has checks of its own (OpenAPI, Response Object, headers).
      if (name === 'content-type') continue;
      const value = answer.headers[name];
      const whose = `${operation.id} under ${declared.key}`;
      if (value === undefined) {
        if (!required) continue;
        return {
          message: `${lineOf(operation)} answered ${answer.status} without the header ${name}.`,
          says: `The contract requires the header ${name} of ${whose}.`,
          cause: `header ${name} missing under ${declared.key}`,
        };
      }
      if (schema === undefined || valuesOf(value).some((one) => schemas.accepts(schema, one))) continue;
      return {
        message: `${lineOf(operation)} answered ${answer.status} with the header ${name}: ${short(value)}: ${whyNot(moment, schema, value)}.`,
        says: `The contract declares ${short(JSON.stringify(schema))} for the header ${name} of ${whose}.`,
        cause: `header ${name} invalid under ${declared.key}`,
      };
    }
    return undefined;
  },
};

/** What a header's text may stand for (OpenAPI, style simple): a text, a number, true or false, null, or a list of these. */
function valuesOf(text: string): unknown[] {
  const list = text === '' ? [] : text.split(',').map((part) => part.trim());
  return [...scalarsOf(text), list, list.map((part) => scalarsOf(part).at(-1))];
}

function scalarsOf(text: string): unknown[] {
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return [text, Number(text)];
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  return text === '' ? [text, null] : [text];
}

function whyNot({ schemas }: Moment, schema: Schema, value: string): string {
  const [fault] = schemas.faults(schema, scalarsOf(value).at(-1));
  return fault?.message ?? 'it is not valid';
}
