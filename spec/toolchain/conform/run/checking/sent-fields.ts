import { unescapeToken } from '../../../../../server/contract/json-values.ts';
import { isObject, type Json, type JsonObject } from '../../../document.ts';
import { isJsonPatch } from '../../../media-types.ts';
import type { Schema } from '../../../model/schema/schema.ts';
import type { Event } from '../event.ts';
import { objectAt } from '../resolve.ts';
import type { Expectations } from './expectations.ts';
import { type WriteMode, writeModeOf } from './written-values.ts';

/** The fields of a resource that a request writes. */
export interface SentFields {
  fields: JsonObject;
  /** Names of the fields that the request changes, also in part. */
  touched: ReadonlySet<string>;
  mode: WriteMode;
}

/** Returns the fields that a request writes; undefined if its body has no fields. */
export function sentFieldsOf(
  expectations: Expectations,
  { operation, step, sent }: Event,
): SentFields | undefined {
  const mediaType = step.body?.mediaType;
  if (isJsonPatch(mediaType)) {
    return patchedFields(sent);
  }
  const fields = objectAt(sent, expectations.writes.bodyPart(operation).at);
  return (
    fields && {
      fields,
      touched: new Set(Object.keys(fields)),
      mode: writeModeOf(operation.method, mediaType),
    }
  );
}

/** Returns the names of the fields that a response to a request shows as they were sent. */
export function sharedNames(
  expectations: Expectations,
  { operation, step }: Event,
  shown: Schema,
): ReadonlySet<string> {
  const read = isJsonPatch(step.body?.mediaType) ? expectations.readAt(operation.path) : undefined;
  return read ? expectations.writes.stableFields(read) : expectations.writes.sharedFields(operation, shown);
}

/** Returns the fields that a JSON Patch sets as a whole. */
function patchedFields(sent: Json | undefined): SentFields | undefined {
  if (!Array.isArray(sent)) {
    return undefined;
  }
  const fields = new Map<string, Json>();
  const touched = new Set<string>();
  for (const change of sent.filter(isObject)) {
    const { op, path, from, value } = change;
    for (const pointer of [path, op === 'move' ? from : undefined]) {
      const [, name] = typeof pointer === 'string' ? pointer.split('/') : [];
      if (name !== undefined && op !== 'test') {
        touched.add(unescapeToken(name));
        fields.delete(name);
      }
    }
    const name = typeof path === 'string' ? /^\/([^/~]+)$/.exec(path)?.[1] : undefined;
    if (name !== undefined && (op === 'add' || op === 'replace') && value !== undefined) {
      fields.set(name, value);
    }
  }
  return { fields: Object.fromEntries(fields), touched, mode: 'replace' };
}
