import type { components } from '../../../../generated/schema.d.ts';
import type { Edit, NewFile } from '../../../content/edit/types.ts';
import { CHUNK_BYTES } from '../../../content/store/blobs.ts';
import type { PendingFiles } from '../../../content/store/pending-files.ts';
import type { ContentThreads } from '../../../content/threads/threads.ts';
import { jsonBytes } from '../../../contract/json.ts';
import type { OwnerSlots } from '../../../contract/slots.ts';
import { fieldInvalid } from '../../../errors.ts';
import { Fetcher } from '../../../outgoing/fetch.ts';
import { TaskLimitError } from '../../../threads/threads.ts';
import type { Services } from '../../kit/slice.ts';
import { FileFetch } from './file-fetch.ts';

type Schemas = components['schemas'];

/** The longest text that the contract takes as markdown. What nests grows when it is printed. */
export const MAX_MARKDOWN_CHARACTERS = 16 * 1024 * 1024;

/** What edits of a request are read with. */
export interface ReadingEdits {
  /** Where files go that the request brings or has fetched. */
  files: PendingFiles;
  slots: OwnerSlots;
  signal: AbortSignal;
}

/**
 * The changes of a request as edits: texts as markdown, files stored or, where they are small, with their bytes.
 * Fetches those that are elsewhere.
 *
 * @throws ContractError 400 or 409 for a document that cannot be written, and for a file that cannot be fetched
 * @throws ContractError 503 when too many files are fetched already
 */
export async function readEdits(
  { outgoing, threads, log }: Services,
  changes: readonly Schemas['ContentChange'][],
  { files, slots, signal }: ReadingEdits,
): Promise<Edit[]> {
  await using fetcher = new Fetcher(outgoing.allow);
  const fetch = new FileFetch({ fetcher, files, slots, signal, log });
  const print = (document: Schemas['Document']) => printed(threads, files.organization, document, signal);
  const edits: Edit[] = [];
  for (const [at, change] of changes.entries())
    edits.push(await readEdit(change, `changes.${at}`, { files, fetch, print }));
  return edits;
}

/** What one edit is read with. */
interface Reading {
  files: PendingFiles;
  fetch: FileFetch;
  /** The markdown of a document; undefined for one that cannot be written. */
  print(document: Schemas['Document']): Promise<string | undefined>;
}

async function readEdit(change: Schemas['ContentChange'], path: string, reading: Reading): Promise<Edit> {
  const { print } = reading;
  switch (change.operation) {
    case 'insert_page': {
      const { document, ...edit } = change;
      return { ...edit, markdown: await textOf(document, `${path}.document`, print) };
    }
    case 'update_page': {
      const { document, ...edit } = change;
      return { ...edit, ...(document && { markdown: await textOf(document, `${path}.document`, print) }) };
    }
    case 'insert_files': {
      const read: NewFile[] = [];
      for (const [index, file] of change.files.entries())
        read.push(await readFile(file, `${path}.files.${index}`, reading));
      return { operation: change.operation, files: read };
    }
    default:
      return change;
  }
}

/** A text as markdown. In a document, references to what is here become addresses that stay. */
async function textOf(
  document: Schemas['DocumentInput'],
  path: string,
  print: Reading['print'],
): Promise<string> {
  if ('markdown' in document) return document.markdown;
  const markdown = await print(document);
  if (markdown === undefined || markdown.length > MAX_MARKDOWN_CHARACTERS)
    throw fieldInvalid(path, 'cannot be written as markdown. Shorten the document, or reduce its nesting');
  return markdown;
}

async function printed(
  threads: ContentThreads,
  owner: string,
  document: Schemas['Document'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const json = await jsonBytes(document);
  try {
    return await threads.run('printDocument', json, { owner, bytes: json.byteLength, signal });
  } catch (error) {
    if (error instanceof TaskLimitError) return undefined;
    throw error;
  }
}

async function readFile(file: Schemas['NewFile'], path: string, { files, fetch }: Reading): Promise<NewFile> {
  if ('url' in file) {
    const { url, ...facts } = file;
    return { ...facts, stored: await fetch.store(url, `${path}.url`) };
  }
  const { base64, ...facts } = file;
  // Many small files are written together.
  if (base64.length <= CHUNK_BYTES) return { ...facts, bytes: Buffer.from(base64, 'base64') };
  return { ...facts, stored: await files.add(decoded(base64)) };
}

/** The bytes of a text in base64, a part of it at a time. */
async function* decoded(base64: string): AsyncGenerator<Uint8Array> {
  // Four characters are three bytes.
  for (let at = 0; at < base64.length; at += CHUNK_BYTES)
    yield Buffer.from(base64.slice(at, at + CHUNK_BYTES), 'base64');
}
