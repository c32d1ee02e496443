import { Agent, request } from 'node:http';
import type { WireRequest } from './requests.ts';

/** Response of a server. */
export interface WireResponse {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
  /** Parsed text; undefined if it is not JSON. */
  json: unknown;
}

/** Sends requests unchanged: `fetch` would correct some malformed ones. */
export class Wire {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(url: string) {
    this.#url = url;
  }

  /** @param token token of the caller; anonymous without one */
  async send(wire: WireRequest, token?: string): Promise<WireResponse> {
    const bytes = wire.body === undefined ? undefined : Buffer.from(wire.body);
    const { hostname, port } = new URL(this.#url);
    return await new Promise((resolve, reject) => {
      const sent = request(
        {
          agent: this.#agent,
          hostname,
          port,
          method: wire.method,
          path: wire.target,
          headers: {
            ...wire.headers,
            ...(bytes && { 'content-length': String(bytes.length) }),
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text) });
          });
        },
      );
      sent.on('error', reject);
      sent.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
