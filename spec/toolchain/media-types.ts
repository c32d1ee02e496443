/** How a client reads a body: as JSON, or as the method of `Response` with this name does. */
export type ReadAs = 'json' | 'text' | 'blob' | 'stream';

/** Media types of sequences of events or values, which are read while they arrive. */
const SEQUENCE = /^(text\/event-stream|application\/(x-)?(ndjson|jsonl|jsonlines|json-seq|stream\+json))\b/i;
const JSON_TYPE = /^(application\/|[^;]+\+)json\s*(;|$)/i;
const TEXT = /^text\/|^application\/(x-)?(yaml|javascript)\b|[/+]xml\b|[/+]yaml\b/i;

/** Returns how a client reads a body of a media type. */
export function readAs(type: string): ReadAs {
  if (SEQUENCE.test(type)) {
    return 'stream';
  }
  if (JSON_TYPE.test(type)) {
    return 'json';
  }
  return TEXT.test(type) ? 'text' : 'blob';
}

/** Whether a media type is a range such as `image/*`. */
export const isRange = (type: string): boolean => type.includes('*');

/** Whether a media type is that of JSON Patch (RFC 6902). */
export const isJsonPatch = (type = ''): boolean =>
  /^application\/([^;]+\+)?json-patch\+json\s*(;|$)/i.test(type);
