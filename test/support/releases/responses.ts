import { operations } from '../../../generated/operations.ts';

/** A successful response to a `GET` request. */
export interface RecordedResponse {
  operation: string;
  path: string;
  body: unknown;
}

/** Operations whose results change with time: events expire, and URLs of PDFs are signed for an hour. */
const CHANGING = /Event|Pdf/;
/** Fields that requests change. */
const CHANGING_FIELDS = new Set(['lastSeenAt', 'lastUsedAt']);

/** Operations that read what does not change with time, with the templates of their paths. */
export const READS: ReadonlyArray<readonly [operation: string, template: string]> = Object.entries(
  operations,
).flatMap(([operation, { method, path }]) =>
  method === 'get' && !CHANGING.test(operation) ? [[operation, path] as const] : [],
);

/** Reads resources. Returns the responses that succeed and have JSON. */
export async function readResponses(
  baseUrl: string,
  token: string,
  paths: ReadonlyArray<readonly [operation: string, path: string]>,
): Promise<RecordedResponse[]> {
  const responses: RecordedResponse[] = [];
  for (const [operation, path] of paths) {
    const response = await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    const text = await response.text();
    if (response.ok && response.headers.get('Content-Type')?.includes('json')) {
      responses.push({ operation, path, body: withoutChanging(JSON.parse(text)) });
    }
  }
  return responses;
}

/** Returns a value without fields that change, and without the queries of signed URLs. */
function withoutChanging(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutChanging);
  }
  if (typeof value === 'string' && /^https?:/.test(value)) {
    return value.replace(/\?.*/s, '');
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) =>
      CHANGING_FIELDS.has(key) ? [] : [[key, withoutChanging(field)]],
    ),
  );
}
