import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { preferredEncoding } from '../response/accept.ts';

const compressions = {
  br: (body: Buffer, quality: number) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body: Buffer, quality: number) => promisify(gzip)(body, { level: Math.min(9, quality) }),
};

/** A body that is sent compressed. Threads of Node.js compress it, once for each encoding. */
export class Resource {
  readonly #type: string;
  readonly #headers: Record<string, string>;
  readonly #quality: number;
  readonly #body: Buffer;
  readonly #tag: string;
  readonly #encoded = new Map<string, Promise<Buffer>>();

  /**
   * @param type media type
   * @param quality of the compression, from 0 to 11: high for what is sent many times
   */
  constructor(type: string, body: string | Buffer, headers: Record<string, string>, quality: number) {
    this.#type = type;
    this.#body = Buffer.from(body);
    this.#headers = headers;
    this.#quality = quality;
    this.#tag = createHash('sha256').update(this.#body).digest('base64url').slice(0, 22);
  }

  /** Size in bytes, without its compressed forms. */
  get size(): number {
    return this.#body.length;
  }

  /** Sends the body in the best encoding that the request accepts, or 304 if the client has it. */
  async send(req: Request, res: Response): Promise<void> {
    const encoding = preferredEncoding(req, ['br', 'gzip']);
    res.set({
      ...this.#headers,
      'Content-Type': this.#type,
      'X-Content-Type-Options': 'nosniff',
      ETag: `"${this.#tag}${encoding === undefined ? '' : `-${encoding}`}"`,
    });
    res.vary('Accept-Encoding');
    // Before the body is compressed.
    if (req.fresh) {
      res.status(304).end();
      return;
    }
    if (encoding === undefined) {
      res.send(this.#body);
      return;
    }
    let encoded = this.#encoded.get(encoding);
    if (encoded === undefined) {
      encoded = compressions[encoding](this.#body, this.#quality);
      this.#encoded.set(encoding, encoded);
    }
    const body = await encoded;
    res.set('Content-Encoding', encoding).send(body);
  }
}

const ASSETS = new URL('./assets/', import.meta.url);
const ASSET_NAMES = [
  'base.css',
  'frame.css',
  'reference.css',
  'theme.js',
  'search.js',
  'samples.js',
  'notation.js',
  'response.js',
  'request.js',
];

/** The scripts and the style sheet of the pages. */
export interface Assets {
  /** Path of their folder, which changes with their contents, so that browsers cache them without asking again. */
  path: string;
  resources: Map<string, Resource>;
}

/** Reads the assets of the documentation pages. */
export function readAssets(): Assets {
  const files = ASSET_NAMES.map((name) => ({ name, body: readFileSync(new URL(name, ASSETS)) }));
  const hash = createHash('sha256');
  for (const { body } of files) {
    hash.update(body);
  }
  const path = `docs/assets/${hash.digest('hex').slice(0, 12)}`;
  const headers = { 'Cache-Control': 'public, max-age=31536000, immutable' };
  return {
    path,
    resources: new Map(
      files.map(({ name, body }) => {
        const type = name.endsWith('.css') ? 'text/css' : 'text/javascript';
        return [`/${path}/${name}`, new Resource(`${type}; charset=utf-8`, body, headers, 11)];
      }),
    ),
  };
}
