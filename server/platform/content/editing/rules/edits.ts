import type { components } from '../../../../../generated/schema.d.ts';
import type { CurrentText, Edit, NewFile } from '../../../../content/edit/types.ts';
import { locationOfPage } from '../../../../content/links/address.ts';
import {
  type ReferenceScope,
  type References,
  resolveReferences,
} from '../../../../content/links/page-references.ts';
import { CHUNK_BYTES } from '../../../../content/store/blobs.ts';
import type { PendingFiles } from '../../../../content/store/pending-files.ts';
import { Documents, documentText } from '../../../../content/threads/documents.ts';
import { jsonBytes } from '../../../../contract/response/json.ts';
import { fieldInvalid } from '../../../../errors/errors.ts';
import { Fetcher } from '../../../../outgoing/fetch.ts';
import { TaskLimitError } from '../../../../threads/threads.ts';
import type { Context } from '../../../kit/slice.ts';
import { FileFetch } from './file-fetch.ts';

type Schemas = components['schemas'];

/** Maximum length of a text that the contract accepts as Markdown. Nested content grows when it is printed. */
export const MAX_MARKDOWN_CHARACTERS = 16 * 1024 * 1024;

/**
 * Converts the changes of a request to edits: texts as markdown, files stored or, if they are small, with their bytes.
 * Fetches the files that are referenced by URL.
 *
 * @param files stores the files that the request contains or references by URL
 * @param space the space of the content
 * @throws ContractError 400 or 409 if a document cannot be written, or a file cannot be fetched
 * @throws ContractError 503 if too many files are being fetched
 */
export async function readEdits(
  ctx: Context,
  changes: readonly Schemas['ContentChange'][],
  files: PendingFiles,
  space: string,
): Promise<Edit[]> {
  await using fetcher = new Fetcher(ctx.outgoing.allow);
  const fetch = new FileFetch(ctx, fetcher, files);
  const documents = new Documents(ctx.threads, files.organization);
  const scope = { space, app: ctx.resourceUrls.at('/app') };
  const print: EditServices['print'] = async (json, current) =>
    await printDocument(ctx, files.organization, json, current?.markdown, {
      references: current && (await referencesOf(current, documents, scope)),
    });
  const edits: Edit[] = [];
  for (const [at, change] of changes.entries()) {
    edits.push(await readEdit(change, `changes.${at}`, { files, fetch, print }));
  }
  return edits;
}

/** Services that reading one edit requires. */
interface EditServices {
  files: PendingFiles;
  fetch: FileFetch;
  /** Returns the markdown of a document in JSON, instead of the current one; undefined if it cannot be written. */
  print(json: Uint8Array, current?: CurrentText): Promise<string | undefined>;
}

async function readEdit(
  change: Schemas['ContentChange'],
  path: string,
  services: EditServices,
): Promise<Edit> {
  const { print } = services;
  switch (change.operation) {
    case 'insert_page': {
      const { document, ...edit } = change;
      return { ...edit, markdown: await markdownOf(document, `${path}.document`, print) };
    }
    case 'update_page': {
      const { document, ...edit } = change;
      if (!document) {
        return edit;
      }
      if ('markdown' in document) {
        return { ...edit, markdown: document.markdown };
      }
      const json = await jsonBytes(document);
      const markdown = async (current: CurrentText) =>
        checkedText(await print(json, current), `${path}.document`);
      return { ...edit, markdown };
    }
    case 'insert_files': {
      const read: NewFile[] = [];
      for (const [index, file] of change.files.entries()) {
        read.push(await readFile(file, `${path}.files.${index}`, services));
      }
      return { operation: change.operation, files: read };
    }
    default:
      return change;
  }
}

/** Returns a text as markdown. References of a document to Colophon's resources become permanent URLs. */
async function markdownOf(
  document: Schemas['DocumentInput'],
  path: string,
  print: EditServices['print'],
): Promise<string> {
  if ('markdown' in document) {
    return document.markdown;
  }
  return checkedText(await print(await jsonBytes(document)), path);
}

/** @throws ContractError 400 if a document cannot be written */
function checkedText(markdown: string | undefined, path: string): string {
  if (markdown === undefined || markdown.length > MAX_MARKDOWN_CHARACTERS) {
    throw fieldInvalid(path, 'cannot be written as markdown. Shorten the document, or reduce its nesting');
  }
  return markdown;
}

/** Returns the references by resource in the document of a page, as it is read. */
async function referencesOf(
  { markdown, page, content }: CurrentText,
  documents: Documents,
  scope: Pick<ReferenceScope, 'space' | 'app'>,
): Promise<References> {
  const located = (await content.readLocatedPages([page])).get(page);
  if (!located) {
    return new Map();
  }
  const destinations = await documents.listDestinations(documentText(markdown));
  const from = locationOfPage(located.record, located.path);
  const resolved = await resolveReferences(destinations, { ...scope, content, from });
  return new Map(resolved.map(({ written, ref }) => [written, ref]));
}

async function printDocument(
  ctx: Context,
  owner: string,
  json: Uint8Array,
  current?: string,
  { references }: { references?: References | undefined } = {},
): Promise<string | undefined> {
  const { threads, signal } = ctx;
  const bytes = json.byteLength + (current?.length ?? 0);
  try {
    return await threads.run('printDocument', { json, current, references }, { owner, bytes, signal });
  } catch (error) {
    if (error instanceof TaskLimitError) {
      // Comparing two documents takes longer than printing one.
      return current === undefined
        ? undefined
        : await printDocument(ctx, owner, json, undefined, { references });
    }
    throw error;
  }
}

async function readFile(
  file: Schemas['NewFile'],
  path: string,
  { files, fetch }: EditServices,
): Promise<NewFile> {
  if ('url' in file) {
    const { url, ...properties } = file;
    return { ...properties, stored: await fetch.store(url, `${path}.url`) };
  }
  const { base64, ...properties } = file;
  // Small files are written together.
  if (base64.length <= CHUNK_BYTES) {
    return { ...properties, bytes: Buffer.from(base64, 'base64') };
  }
  return { ...properties, stored: await files.add(decodeChunks(base64)) };
}

/** Decodes base64 in chunks. */
async function* decodeChunks(base64: string): AsyncGenerator<Uint8Array> {
  // Four characters encode three bytes, so chunks of a multiple of four are decoded independently.
  for (let at = 0; at < base64.length; at += CHUNK_BYTES) {
    yield Buffer.from(base64.slice(at, at + CHUNK_BYTES), 'base64');
  }
}
