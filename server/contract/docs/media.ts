import { mediaKindOf, parseMediaType } from '../media-types.ts';
import type { MediaReference, OperationReference } from './reference.ts';

const kindOf = (type: string) => mediaKindOf(parseMediaType(type).essence);

/** Returns whether a media type is JSON. */
export const isJson = (type: string): boolean => kindOf(type) === 'json';
/** Returns whether a media type is a form with parts. Other types of `multipart/` are not forms. */
export const isMultipart = (type: string): boolean => kindOf(type) === 'multipart';
/** Returns whether a media type is a URL-encoded form. */
export const isUrlEncoded = (type: string): boolean => kindOf(type) === 'form';
/** Returns whether a media type is written as text. */
export const isText = (type: string): boolean => ['text', 'lines', 'events'].includes(kindOf(type));

/** Selects the media type to send: JSON if it is possible, else the first one. */
export function preferredMedia({ body }: OperationReference): MediaReference | undefined {
  return body?.content.find(({ type }) => isJson(type)) ?? body?.content[0];
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
