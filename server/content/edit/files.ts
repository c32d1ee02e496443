import mimeTypes from 'mime-types';
import { imageDimensions } from '../repository/read/assets.ts';
import { hashOf, storableText } from '../tree/hash.ts';
import type { FileRecord, StoredFile } from '../tree/records.ts';
import type { NewFile } from './types.ts';

/** Returns the record of a new file. Its content type is derived from its name if unspecified. */
export function fileOf(file: NewFile, id: string, now: Date): FileRecord {
  const { name, contentType } = file;
  return {
    id,
    name: storableText(name),
    contentType: contentType ?? (mimeTypes.lookup(name) || 'application/octet-stream'),
    ...('stored' in file ? file.stored : describe(file.bytes)),
    createdAt: now.toISOString(),
  };
}

function describe(bytes: Uint8Array): StoredFile {
  const dimensions = imageDimensions(bytes);
  return { size: bytes.byteLength, ...(dimensions && { dimensions }), blob: hashOf(bytes) };
}
