import type { SchemaSet } from '../../../model/schema/schema.ts';
import type { Event, Failure } from '../event.ts';
import { pointed } from '../resolve.ts';

/** U+0000 and lone surrogates as written by JSON.stringify. */
const UNSTORABLE_TEXT = /(?<!\\)(?:\\\\)*\\u(0000|d[89a-f])/i;

/** Returns whether a failure is certain: the reason of a rejection may be a value that the contract does not specify. */
export const isConclusive = ({ check }: Failure, event: Event, schemas: SchemaSet): boolean =>
  check !== 'valid-input-accepted' || isBlamed(event, schemas);

/** Returns whether a rejection of valid input is a failure: the request contains no invented identifier and is valid. */
function isBlamed(event: Event, schemas: SchemaSet): boolean {
  const { inventedFields, operation, sent, step, env } = event;
  // A rejection of several resources together, or of a moved one, depends on their state.
  const named = step.body && 'json' in step.body ? step.body.references.length : 0;
  // Contracts do not always specify that a resource must not refer to itself.
  if (namesItself(event)) {
    return false;
  }
  if (named > 1 || (named > 0 && [...env.values()].some(({ altered }) => altered))) {
    return false;
  }
  // Lone surrogates and U+0000 are valid in JSON, but not every database can store them.
  if (inventedFields.length > 0 || UNSTORABLE_TEXT.test(JSON.stringify(sent) ?? '')) {
    return false;
  }
  const type = step.body?.mediaType;
  const schema = type === undefined ? undefined : operation.body?.content[type]?.schema;
  return sent === undefined || schema === undefined || schemas.accepts(schema, sent);
}

/** Returns whether a body refers to a resource of the path. */
function namesItself({ step, sent, path }: Event): boolean {
  const { body } = step;
  if (!body || !('json' in body)) {
    return false;
  }
  const texts = new Set(Object.values(path));
  return body.references.some(
    ({ at }) =>
      // A body may repeat the identifier of its resource.
      !(at.length <= 2 && at.at(-1) === 'id') &&
      texts.has(String(pointed(sent, at.map((part) => `/${part}`).join('')))),
  );
}
