/** Headers of the transfer of a response, which no longer apply to a body that was received and decompressed. */
const TRANSFER_HEADERS = [
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
];

/** Returns the headers of a response, without those of its transfer. */
export function responseHeaders(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(received)) {
    for (const text of [value].flat()) {
      headers.append(name, text);
    }
  }
  for (const name of TRANSFER_HEADERS) {
    headers.delete(name);
  }
  return headers;
}
