import mimeTypes from 'mime-types';
import { imageDimensions } from '../repository/repository.ts';
import { hashOf, keepableText } from '../store/hash.ts';
import type { FileRecord } from '../store/records.ts';
import type { NewFile } from './types.ts';

/** The record of a new file. Its type is told from its name where it is not given. */
export function fileOf({ name, contentType, bytes }: NewFile, id: string, now: Date): FileRecord {
  const dimensions = imageDimensions(bytes);
  return {
    id,
    name: keepableText(name),
    contentType: contentType ?? (mimeTypes.lookup(name) || 'application/octet-stream'),
    size: bytes.byteLength,
    ...(dimensions && { dimensions }),
    blob: hashOf(bytes),
    createdAt: now.toISOString(),
  };
}
