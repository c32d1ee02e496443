import { isJsonType, mayHaveBody } from '../wire/answer.ts';
import type { WireAnswer } from '../wire/exchange.ts';
import type { Check, Moment } from './check.ts';
import { type DeclaredAnswer, type DeclaredMedia, declaredAnswer, declaredMedia } from './declared.ts';
import { lineOf, placeOf, short } from './place.ts';
import { isOfOperation } from './status.ts';

/** An answer that the contract speaks for and that may have a body. */
interface Declared {
  answer: WireAnswer;
  declared: DeclaredAnswer;
  contentType: string;
  /** Undefined where the contract does not declare its media type. */
  media: DeclaredMedia | undefined;
}

function declaredFor(moment: Moment): Declared | undefined {
  const { operation, exchange } = moment;
  const { answer, request } = exchange;
  if (!answer || !isOfOperation(moment) || !mayHaveBody(request.method, answer.status)) return undefined;
  const declared = declaredAnswer(operation, answer.status);
  if (!declared) return undefined;
  const contentType = answer.headers['content-type'] ?? '';
  return { answer, declared, contentType, media: declaredMedia(declared.answer.content, contentType) };
}

/** Bodies are of the media types of the contract. */
export const declaredMediaType: Check = {
  name: 'declared-media-type',
  asks: 'Bodies have a media type that the contract declares, and are there where it declares one.',
  judge(moment) {
    const found = declaredFor(moment);
    if (!found) return undefined;
    const { answer, declared, contentType, media } = found;
    const { operation } = moment;
    const types = Object.keys(declared.answer.content);
    const says = `${operation.id} declares ${types.join(', ') || 'no body'} under ${declared.key}.`;
    const came = `${lineOf(operation)} answered ${answer.status}`;
    if (answer.body.length === 0) {
      if (types.length === 0 || media) return undefined;
      return { message: `${came} without a body.`, says, cause: `no body under ${declared.key}` };
    }
    if (types.length === 0) {
      const message = `${came} with a body of ${answer.body.length} bytes, where none is declared.`;
      return { message, says, cause: `undeclared body under ${declared.key}` };
    }
    if (media) return undefined;
    const named = contentType === '' ? 'no media type' : `the media type ${short(contentType)}`;
    const message = `${came} with a body of ${named}.`;
    const cause = `${contentType === '' ? named : `media type ${contentType.toLowerCase()}`} under ${declared.key}`;
    return { message, says, cause };
  },
};

/** Bodies are of the schemas of the contract. */
export const declaredBody: Check = {
  name: 'declared-body',
  asks: 'Bodies are valid by the schema of their status and media type, and can be read.',
  judge(moment) {
    const found = declaredFor(moment);
    if (!found?.media) return undefined;
    const { answer, declared, contentType, media } = found;
    const { operation, schemas } = moment;
    const came = `${lineOf(operation)} answered ${answer.status}`;
    const whole = `${operation.id} ${declared.key}`;
    const { schema } = media.media;
    if (isJsonType(contentType) && answer.json === undefined) {
      const reason = answer.unreadable ?? 'it is empty';
      return {
        message: `${came} with a body that says it is JSON and cannot be read: ${short(reason)}.`,
        says: `${operation.id} declares ${media.key} under ${declared.key}.`,
        cause: `unreadable JSON of ${whole}`,
      };
    }
    if (schema === undefined) return undefined;
    const value = isJsonType(contentType) ? answer.json : textOf(answer, contentType);
    if (value === undefined || schemas.accepts(schema, value)) return undefined;
    const faults = schemas.faults(schema, value);
    const [first] = faults;
    const pointer = first?.pointer ?? '';
    const place = placeOf(schemas, schema, value, pointer, whole);
    const more = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
    return {
      message: `${came} with a body that is not valid: ${pointer || 'the whole'} ${first?.message ?? 'is refused'}${more}.`,
      says: `The contract has ${place} under ${declared.key}, ${media.key}; it breaks "${first?.keyword ?? 'schema'}".`,
      cause: `${place} breaks ${first?.keyword ?? 'schema'}`,
    };
  },
};

/** Objects hold what the contract names. */
export const undeclaredFields: Check = {
  name: 'undeclared-fields',
  asks: 'Objects in answers have no fields but those that their schemas name.',
  judge(moment) {
    const found = declaredFor(moment);
    const schema = found?.media?.media.schema;
    const json = found?.answer.json;
    // Of a body that is not valid, declared-body tells; also where a sealed object has a surplus field.
    if (!found || schema === undefined || json === undefined || !moment.schemas.accepts(schema, json))
      return undefined;
    const { operation, schemas } = moment;
    const pointers = schemas.undeclared(schema, json);
    const [pointer] = pointers;
    if (pointer === undefined) return undefined;
    const place = placeOf(schemas, schema, json, pointer, `${operation.id} ${found.declared.key}`);
    const more = pointers.length > 1 ? `, and ${pointers.length - 1} more` : '';
    return {
      message: `${lineOf(operation)} answered ${found.answer.status} with a field that the contract does not name: ${pointer}${more}.`,
      says: `No schema that applies there has ${place}. Declare it, or leave it out of the answer.`,
      cause: `undeclared field ${place}`,
    };
  },
};

/** The body as a text, where that is what its media type says. */
function textOf(answer: WireAnswer, contentType: string): string | undefined {
  if (!/^text\//i.test(contentType) || /charset=(?!"?utf-?8|"?us-ascii)/i.test(contentType)) return undefined;
  return answer.unreadable === undefined ? new TextDecoder().decode(answer.body) : undefined;
}
