import { httpError } from '../errors.ts';
import { createExchange, type Fetch } from '../exchange.ts';
import { errorBody } from '../response.ts';
import { type RetryOptions, readRetryPolicy } from '../retry.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';
import type { Bytes } from '../types.ts';
import type { Schemas } from './client.ts';

/** Bytes that are encoded at once: a multiple of 3, which has no padding, and few enough to be arguments of a call. */
const BASE64_CHUNK_BYTES = 3 * 8192;

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
  let base64 = '';
  for (let start = 0; start < bytes.length; start += BASE64_CHUNK_BYTES) {
    base64 += btoa(String.fromCharCode(...bytes.subarray(start, start + BASE64_CHUNK_BYTES)));
  }
  const [contentType = ''] = file.type.split(';');
  return { name: file.name, base64, ...(contentType !== '' && { contentType }) };
}

/** Progress of a download. */
export interface DownloadProgress {
  /** Number of bytes that were received. */
  received: number;
  /** Size in bytes. Undefined if the server does not send it, as for a PDF that is still being printed. */
  total: number | undefined;
}

/** Options of {@link download}. */
export interface DownloadOptions {
  /** Called after each part of the content was received. */
  onProgress?: ((progress: DownloadProgress) => void) | undefined;
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
 * Downloads a file or a PDF. Its URL contains the permission, so no token is sent.
 * @param source a file, or the PDF of an operation such as `getChangeRequestPdf`
 * @returns the content as a stream. Its errors are an `ApiError`
 * @throws ApiError for every error. Its `url` has no query, which contains the permission
 *
 * @example
 * await writeFile('guide.pdf', await download(await getChangeRequestPdf(client, { spaceId, changeRequestId })))
 */
export async function download(
  source: Pick<Schemas['File'], 'downloadURL'> | Schemas['PdfFile'],
  options: DownloadOptions = {},
): Promise<ReadableStream<Bytes>> {
  const { signal, timeout = 30_000, runtime = systemRuntime } = options;
  const url = 'url' in source ? source.url : source.downloadURL;
  const [location = ''] = url.split('?');
  const request = { method: 'GET', url: location };
  const exchange = createExchange({
    fetch: options.fetch ?? ((toSend, init) => globalThis.fetch(toSend, init)),
    request,
    path: location,
    hooks: undefined,
    retries: readRetryPolicy(options.retries),
    timeout,
    signal,
    runtime,
  });
  try {
    const response = await exchange.send({ method: 'GET', url, headers: new Headers(), body: null });
    if (response.ok) {
      const stream = exchange.stream(response);
      return options.onProgress ? observe(stream, sizeOf(response), options.onProgress) : stream;
    }
    throw httpError(request, await readErrorBody(response), response, runtime.now());
  } catch (cause) {
    throw exchange.explain(cause);
  } finally {
    exchange.end();
  }
}

async function readErrorBody(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return errorBody(text, response);
  }
}

/** Reports each part of a stream. */
function observe(
  stream: ReadableStream<Bytes>,
  total: number | undefined,
  onProgress: (progress: DownloadProgress) => void,
): ReadableStream<Bytes> {
  let received = 0;
  return stream.pipeThrough(
    new TransformStream<Bytes, Bytes>({
      transform(chunk, controller) {
        received += chunk.length;
        onProgress({ received, total });
        controller.enqueue(chunk);
      },
    }),
  );
}

/** Size of a body. The length of a compressed one is not that of its content. */
function sizeOf({ headers }: Response): number | undefined {
  const length = headers.get('Content-Length');
  return length === null || headers.has('Content-Encoding') ? undefined : Number(length);
}
