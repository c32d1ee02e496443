import mimeTypes from 'mime-types';
import { imageDimensions } from '../repository/repository.ts';
import { hashOf, keepableText } from '../store/hash.ts';
import type { FileRecord } from '../store/records.ts';
import { EditError } from './errors.ts';
import type { NewFile } from './types.ts';

// RFC 6838, section 4.2; with parameters, as in RFC 9110, section 8.3.1.
const mediaType =
  /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}(?:[ \t]*;[ \t]*[\w!#$&^.+-]{1,40}=(?:[\w!#$&^.+-]{1,200}|"[\w !#$&^.+:/-]{1,200}"))*$/i;
/** What no name of a file may hold: a path, or what is not seen. */
const notInNames = /[/\\\p{Cc}\p{Zl}\p{Zp}]/u;

/** The record of a new file. @throws EditError for a name or a media type that nothing can be saved under */
export function fileOf(file: NewFile, id: string, now: Date, path: string): FileRecord {
  const name = keepableText(file.name);
  if (notInNames.test(name) || /^\.*$/.test(name.trim()))
    throw new EditError(`${path}.name`, 'must be the name of a file, without folders or control characters');
  const contentType = file.contentType ?? (mimeTypes.lookup(name) || 'application/octet-stream');
  if (!mediaType.test(contentType))
    throw new EditError(`${path}.contentType`, 'must be a media type, such as image/png');
  const dimensions = imageDimensions(file.bytes);
  return {
    id,
    name,
    contentType,
    size: file.bytes.byteLength,
    ...(dimensions && { dimensions }),
    blob: hashOf(file.bytes),
    createdAt: now.toISOString(),
  };
}
