import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TransferError } from '../errors.ts';

/** Identifies the format. */
const FORMAT = 'colophon-organization';
/** Version of the format; increases if earlier releases cannot read it. */
const FORMAT_VERSION = 1;
/** Version of the objects in the history of the content; increases if their format changes. */
const CONTENT_VERSION = 1;
/** Name of the file that describes the others. */
export const MANIFEST_FILE = 'manifest.json';

/** A file of an export. */
export interface FileEntry {
  /** Size in bytes. */
  bytes: number;
  /** SHA-256 of its content, in hexadecimal. */
  sha256: string;
}

/** What an export contains. */
export interface Manifest {
  format: typeof FORMAT;
  version: number;
  contentVersion: number;
  /** The release that exported the organization. */
  release: string;
  exportedAt: string;
  /** The configured URL of the server; null if there was none. */
  publicURL: string | null;
  organization: { id: string; title: string };
  /** Numbers of records by file, without extension. */
  records: Record<string, number>;
  /** Numbers of objects of content, of files, and of Git repositories. */
  objects: number;
  files: number;
  repositories: number;
  /** All other files of the folder by path, with slashes. */
  contents: Record<string, FileEntry>;
}

/** Creates a manifest of this version of the format. */
export const manifestOf = (content: Omit<Manifest, 'format' | 'version' | 'contentVersion'>): Manifest => ({
  format: FORMAT,
  version: FORMAT_VERSION,
  contentVersion: CONTENT_VERSION,
  ...content,
});

/**
 * Reads the manifest of a folder.
 *
 * @throws TransferError if it is not the folder of an export, or one of a newer version of the format
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const value = await readJsonFile(join(folder, MANIFEST_FILE));
  if (!isObject(value) || value.format !== FORMAT) {
    throw new TransferError(`${folder} is not the folder of an exported organization.`);
  }
  if (value.version !== FORMAT_VERSION || value.contentVersion !== CONTENT_VERSION) {
    const version = [value.version, value.contentVersion].join('.');
    throw new TransferError(
      `The format of the folder has the version ${version}, which this release cannot read. ` +
        'Use the release that exported it, or a later one.',
    );
  }
  if (!isManifest(value)) {
    throw new TransferError(`The folder is damaged: ${MANIFEST_FILE} is incomplete. Export it again.`);
  }
  return value;
}

async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): boolean => Number.isSafeInteger(value);

const isEntry = (value: unknown): boolean =>
  isObject(value) && isCount(value.bytes) && typeof value.sha256 === 'string';

const isManifest = (
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & Manifest =>
  typeof value.release === 'string' &&
  typeof value.exportedAt === 'string' &&
  (value.publicURL === null || typeof value.publicURL === 'string') &&
  isObject(value.organization) &&
  typeof value.organization.id === 'string' &&
  typeof value.organization.title === 'string' &&
  isObject(value.records) &&
  Object.values(value.records).every(isCount) &&
  [value.objects, value.files, value.repositories].every(isCount) &&
  isObject(value.contents) &&
  Object.values(value.contents).every(isEntry);
