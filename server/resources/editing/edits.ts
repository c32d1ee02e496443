import type { components } from '../../../generated/schema.d.ts';
import { EditError } from '../../content/edit/errors.ts';
import type { Edit, NewFile } from '../../content/edit/types.ts';
import type { ContentThreads } from '../../content/threads/threads.ts';
import { jsonBytes } from '../../contract/json.ts';
import { Fetcher } from '../../outgoing/fetch.ts';
import { TaskLimitError } from '../../threads/threads.ts';
import type { Services } from '../slice.ts';
import { FileFetch } from './file-fetch.ts';

type Schemas = components['schemas'];

/** The longest text that the contract takes as markdown. What nests grows when it is printed. */
const LONGEST = 16 * 1024 * 1024;

/**
 * The changes of a request as edits: texts as markdown, files with their bytes. Fetches those that are elsewhere.
 *
 * @throws EditError for a document that cannot be written, and for a file that cannot be fetched
 */
export async function readEdits(
  { outgoing, threads, log }: Services,
  organization: string,
  changes: readonly Schemas['ContentChange'][],
  signal: AbortSignal,
): Promise<Edit[]> {
  await using fetcher = new Fetcher(outgoing.allow);
  const files = new FileFetch(fetcher, signal, log);
  const print = (document: Schemas['Document']) => printed(threads, organization, document, signal);
  const edits: Edit[] = [];
  for (const [at, change] of changes.entries())
    edits.push(await readEdit(change, `changes.${at}`, { files, print }));
  return edits;
}

/** What edits are read with. */
interface Reading {
  files: FileFetch;
  /** The markdown of a document; undefined for one that cannot be written. */
  print(document: Schemas['Document']): Promise<string | undefined>;
}

async function readEdit(
  change: Schemas['ContentChange'],
  path: string,
  { files, print }: Reading,
): Promise<Edit> {
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
        read.push(await readFile(file, `${path}.files.${index}`, files));
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
  if (markdown === undefined || markdown.length > LONGEST)
    throw new EditError(path, 'must be a document that can be written as markdown: shorten it, or nest less');
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

async function readFile(file: Schemas['NewFile'], path: string, files: FileFetch): Promise<NewFile> {
  if ('base64' in file) {
    const { base64, ...facts } = file;
    return { ...facts, bytes: Buffer.from(base64, 'base64') };
  }
  const { url, ...facts } = file;
  return { ...facts, bytes: await files.fetch(url, `${path}.url`) };
}
