import { type IncomingMessage, request } from 'node:http';
import { readBody } from '../outgoing/fetch-body.ts';
import { responseHeaders } from '../outgoing/headers.ts';

/** A message to a script. */
export interface ScriptMessage {
  contentType: string;
  body: Uint8Array;
}

/** Response of a script, of any status. */
export interface ScriptResponse {
  status: number;
  headers: Headers;
  /** Decompressed. */
  body: Uint8Array;
}

/** Path of the calls, which the runtime library of integrations requires. */
const CALL_PATH = '/v1';

/** Headers that `worker/main.js` reads and removes. */
const CALL_HEADER = 'colophon-call';
const BACKGROUND_HEADER = 'colophon-background';

/**
 * Sends a message to the script that listens on a socket.
 *
 * @throws OutgoingError `too-large` or `failed` for the body of the response, and errors of the connection
 */
export async function sendMessage(
  socketPath: string,
  { id, awaitsBackground, message }: { id: string; awaitsBackground: boolean; message: ScriptMessage },
  bounds: { maxBytes: number; signal: AbortSignal },
): Promise<ScriptResponse> {
  const received = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({
      socketPath,
      method: 'POST',
      path: CALL_PATH,
      signal: bounds.signal,
      agent: false,
      headers: {
        Host: 'integration',
        'Content-Type': message.contentType,
        'Content-Length': message.body.byteLength,
        [CALL_HEADER]: id,
        ...(awaitsBackground && { [BACKGROUND_HEADER]: 'await' }),
      },
    });
    sent.on('error', reject).on('response', resolve);
    sent.end(message.body);
  });
  // Also emitted if the stream is destroyed by the signal.
  received.on('error', () => undefined);
  try {
    const parts = await readBody(received, received.headers['content-encoding'], bounds, (chunks) =>
      Array.fromAsync(chunks),
    );
    return {
      status: received.statusCode ?? 0,
      headers: responseHeaders(received.headers),
      body: Buffer.concat(parts),
    };
  } finally {
    received.destroy();
  }
}

/** Whether a process responds: `blocked` if it does not in time, `closed` if it ended the connection. */
export type Responsiveness = 'responsive' | 'blocked' | 'closed';

/** Determines whether the process that listens on a socket responds, without calling its script. */
export async function checkProcess(socketPath: string, timeoutMs: number): Promise<Responsiveness> {
  return await new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const headers = { Host: 'integration' };
    const sent = request({ socketPath, path: CALL_PATH, signal, agent: false, headers });
    sent.on('error', () => resolve(signal.aborted ? 'blocked' : 'closed'));
    sent.on('response', (received) => {
      received.resume();
      resolve('responsive');
    });
    sent.end();
  });
}
