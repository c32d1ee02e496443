import type { components } from '../../../generated/schema.d.ts';
import { EditError } from '../../content/edit/errors.ts';
import type { Edit, NewFile } from '../../content/edit/types.ts';
import { writeRef } from '../../content/links/address.ts';
import { printMarkdown } from '../../content/markdown/markdown.ts';
import { Fetcher } from '../../outgoing/fetch.ts';
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
  { outgoing }: Services,
  changes: readonly Schemas['ContentChange'][],
  signal: AbortSignal,
): Promise<Edit[]> {
  await using fetcher = new Fetcher(outgoing.allow);
  const files = new FileFetch(fetcher, signal);
  const edits: Edit[] = [];
  for (const [at, change] of changes.entries()) edits.push(await readEdit(change, `changes.${at}`, files));
  return edits;
}

async function readEdit(change: Schemas['ContentChange'], path: string, files: FileFetch): Promise<Edit> {
  switch (change.operation) {
    case 'insert_page': {
      const { document, ...edit } = change;
      return { ...edit, markdown: textOf(document, `${path}.document`) };
    }
    case 'update_page': {
      const { document, ...edit } = change;
      return { ...edit, ...(document && { markdown: textOf(document, `${path}.document`) }) };
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
function textOf(document: Schemas['DocumentInput'], path: string): string {
  if ('markdown' in document) return document.markdown;
  const markdown = printed(document);
  if (markdown === undefined || markdown.length > LONGEST)
    throw new EditError(path, 'must be a document that can be written as markdown: shorten it, or nest less');
  return markdown;
}

/** Undefined where the printer, which is not ours, fails on what nobody writes. */
function printed(document: Schemas['Document']): string | undefined {
  try {
    return printMarkdown(document, writeRef);
  } catch {
    return undefined;
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
