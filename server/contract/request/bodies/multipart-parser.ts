import { once } from 'node:events';
import { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { type ContractError, requestMalformed } from '../../errors.ts';
import { parseMediaType } from '../../media-types.ts';
import { bodyFault } from './buffered.ts';

/** A part of a multipart body, before it is validated. */
export interface RawPart {
  name: string | undefined;
  filename: string | undefined;
  contentType: string;
  stream: Readable;
}

/** Maximum size of the headers of one part. */
export const MAX_PART_HEADER_BYTES = 16_384;
/** Maximum number of headers of one part. */
export const MAX_PART_HEADERS = 32;

/** Splits a multipart body into its parts. The stream of a part ends before the next one. */
export async function* rawParts(contentType: string, source: Readable): AsyncGenerator<RawPart> {
  const parser = createParser(contentType);
  const queue: RawPart[] = [];
  let isFinished = false;
  let failure: unknown;
  let wake = () => {};
  const fail = (error: unknown) => {
    failure ??= error;
    for (const { stream } of queue) {
      stream.destroy(error instanceof Error ? error : notMultipart());
    }
    wake();
  };
  parser.on('file', (name, file, filename, _encoding, mimeType) => {
    queue.push({ name, filename, contentType: parseMediaType(mimeType).essence, stream: partStream(file) });
    wake();
  });
  parser.once('finish', () => {
    isFinished = true;
    wake();
  });
  parser.once('error', () => fail(notMultipart()));
  source.once('error', fail);
  source.pipe(parser);
  try {
    while (failure === undefined) {
      const [next] = queue;
      if (next) {
        yield next;
        await ended(next.stream);
        queue.shift();
      } else if (isFinished) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    throw failure;
  } finally {
    source.unpipe(parser).destroy();
  }
}

/**
 * Returns the stream of a part with an error for the caller if the body ends early. Destroying it skips the rest of the
 * part; destroying the stream of the parser would stop the parser.
 */
function partStream(file: BusboyFileStream): Readable {
  const stream = new Readable({
    read: () => void file.resume(),
    destroy: (error, done) => {
      file.off('data', append).resume();
      done(error);
    },
  });
  const append = (chunk: Buffer) => {
    if (!stream.push(chunk)) {
      file.pause();
    }
  };
  file
    .on('data', append)
    .on('end', () => stream.push(null))
    .on('error', () => stream.destroy(notMultipart()));
  // Its reader receives the error.
  return stream.on('error', () => undefined);
}

/** Waits until the stream of a part has ended; discards what was not read. */
async function ended(stream: Readable): Promise<void> {
  if (stream.closed) {
    return;
  }
  stream.resume();
  await once(stream, 'close').catch(() => undefined);
}

function createParser(contentType: string) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // Fields are read as streams too: their limits and their charset are checked here.
      isPartAFile: () => true,
      limits: { headerPairs: MAX_PART_HEADERS, headerSize: MAX_PART_HEADER_BYTES },
    });
  } catch {
    throw requestMalformed('The Content-Type of a multipart body must have a boundary.', [
      { in: 'header', path: 'content-type', message: 'must have a boundary' },
    ]);
  }
}

function notMultipart(): ContractError {
  const message = 'is not a complete multipart body';
  return requestMalformed(`The request body ${message}.`, [bodyFault(message)]);
}
