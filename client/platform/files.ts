import { readErrorBody } from '../body.ts';
import { httpError } from '../errors.ts';
import { createExchange, type Fetch } from '../exchange.ts';
import { type RetryOptions, readRetryPolicy } from '../retry.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';
import type { Schemas } from './client.ts';

/**
 * Reads a file to add it with the change `insert_files`.
 * @param file file with its name, such as one that a user selected
 *
 * @example
 * const files = [await inlineFile(input.files[0])]
 * const body = { changes: [{ operation: 'insert_files', files }] }
 * await updateChangeRequestContent(client, { spaceId, changeRequestId, body })
 */
export async function inlineFile(file: File): Promise<Schemas['InlineFile']> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const [contentType = ''] = file.type.split(';');
  return { name: file.name, base64, ...(contentType !== '' && { contentType }) };
}

/** Options of {@link download}. */
export interface DownloadOptions {
  /** Aborts the download, also while the stream is read. */
  signal?: AbortSignal | undefined;
  /** Timeout of each attempt until its response starts, in milliseconds. Default: 30,000. */
  timeout?: number | undefined;
  /** Maximum number of retries (default: 2), or detailed options. */
  retries?: number | RetryOptions | undefined;
  /** Function that sends each request. Default: `globalThis.fetch`. */
  fetch?: Fetch | undefined;
  /** Clock and random numbers. Only tests need to pass it. */
  runtime?: Runtime | undefined;
}

/**
 * Downloads a file or a PDF. Its URL contains the permission, so that no token is sent.
 * @param source a file, or the PDF of an operation such as `getChangeRequestPdf`
 * @returns the content as a stream, whose errors are an `ApiError`
 * @throws ApiError for every error. Its `url` has no query, which contains the permission
 *
 * @example
 * await writeFile('guide.pdf', await download(await getChangeRequestPdf(client, { spaceId, changeRequestId })))
 */
export async function download(
  source: Pick<Schemas['File'], 'downloadURL'> | Schemas['PdfFile'],
  options: DownloadOptions = {},
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const { signal, timeout = 30_000, runtime = systemRuntime } = options;
  const url = 'url' in source ? source.url : source.downloadURL;
  const [location = ''] = url.split('?');
  const request = { method: 'GET', url: location };
  const exchange = createExchange({
    fetch: options.fetch ?? ((toSend) => globalThis.fetch(toSend)),
    request,
    path: location,
    hooks: undefined,
    retries: readRetryPolicy(options.retries),
    timeout,
    signal,
    runtime,
  });
  try {
    const response = await exchange.send(url, new Headers(), null);
    if (response.ok) {
      return exchange.stream(response);
    }
    throw httpError(request, await readErrorBody(response), response, runtime.now());
  } catch (cause) {
    throw exchange.explain(cause);
  } finally {
    exchange.end();
  }
}
