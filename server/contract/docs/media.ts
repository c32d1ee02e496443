import { isJsonType } from '../media-types.ts';
import type { MediaReference, OperationReference } from './reference.ts';

/** Selects the media type to send: JSON if it is possible, else the first one. */
export function preferredMedia({ body }: OperationReference): MediaReference | undefined {
  return body?.content.find(({ type }) => isJsonType(type)) ?? body?.content[0];
}

/** Replaces a range of media types by one of them. */
export function specificType(type: string): string {
  const [range = ''] = /^[^/]*\/\*/.exec(type) ?? [];
  return type
    .replace('*/*', 'image/png')
    .replace(range, SPECIFIC_TYPES[range.toLowerCase()] ?? range.replace('*', 'png'));
}

const SPECIFIC_TYPES: Readonly<Record<string, string>> = {
  'text/*': 'text/plain',
  'application/*': 'application/octet-stream',
};
