import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ContractError } from '../../errors.ts';

/** Time limit for receiving a body, extended while it arrives at {@link MIN_BODY_BYTES_PER_SECOND} or faster. */
export const BODY_DEADLINE_MS = 30_000;

/** Minimum transfer rate of a body that exceeds {@link BODY_DEADLINE_MS}. */
export const MIN_BODY_BYTES_PER_SECOND = 65_536;

const awaitingContinue = new WeakSet<IncomingMessage>();

/**
 * Defers `100 Continue` for a request with `Expect: 100-continue` until {@link receive} is called, so that a body that
 * is not read is never sent.
 */
export function deferContinue(req: IncomingMessage): void {
  awaitingContinue.add(req);
}

/** Options of {@link receive}. */
export interface ReceiveOptions {
  /** Time limit in milliseconds, extended in proportion to the received bytes. */
  deadlineMs: number;
  /** Called with each chunk as it arrives. An exception stops receiving. */
  onChunk: (chunk: Buffer) => void;
}

/**
 * Receives the raw body of a request. After a failure the rest of the body is not read.
 *
 * @returns the chunks in order
 * @throws ContractError 408 if the body arrives too slowly
 * @throws Error if the caller closes the connection
 */
export function receive(
  req: IncomingMessage,
  res: ServerResponse,
  { deadlineMs, onChunk }: ReceiveOptions,
): Promise<Buffer[]> {
  if (awaitingContinue.delete(req)) {
    res.writeContinue();
  }
  const chunks: Buffer[] = [];
  const startedAt = performance.now();
  let bytes = 0;
  return new Promise((resolve, reject) => {
    let timer = setTimeout(checkPace, deadlineMs);
    const settle = () => {
      clearTimeout(timer);
      req.off('data', append).off('end', end).off('error', fail).off('close', abort).pause();
    };
    const fail = (error: unknown) => {
      settle();
      reject(error);
    };
    const abort = () => fail(new Error('The caller closed the connection.'));
    function end(): void {
      settle();
      resolve(chunks);
    }
    function append(chunk: Buffer): void {
      bytes += chunk.length;
      try {
        onChunk(chunk);
        chunks.push(chunk);
      } catch (error) {
        fail(error);
      }
    }
    function checkPace(): void {
      const remainingMs =
        startedAt + deadlineMs + (bytes / MIN_BODY_BYTES_PER_SECOND) * 1000 - performance.now();
      if (remainingMs <= 0) {
        fail(tooSlow());
      } else {
        timer = setTimeout(checkPace, remainingMs);
      }
    }
    if (req.destroyed) {
      abort();
    } else {
      req.on('data', append).on('end', end).on('error', fail).on('close', abort);
    }
  });
}

/**
 * Returns the raw body of a request as a stream. The deadline counts only time spent waiting for the caller.
 * Destroying the stream leaves the connection open, and the rest of the body unread.
 *
 * @param onChunk called with each chunk as it arrives. An exception ends the stream with that error.
 */
export function receiveStream(
  req: IncomingMessage,
  res: ServerResponse,
  { deadlineMs, onChunk }: ReceiveOptions,
): Readable {
  let bytes = 0;
  let waitedMs = 0;
  let waitingSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const stopWaiting = () => {
    clearTimeout(timer);
    waitedMs += waitingSince === undefined ? 0 : performance.now() - waitingSince;
    waitingSince = undefined;
  };
  const detach = () => {
    stopWaiting();
    req.off('data', append).off('end', end).off('close', abort).pause();
  };
  const stream = new Readable({
    read() {
      if (awaitingContinue.delete(req)) {
        res.writeContinue();
      }
      if (waitingSince === undefined && !req.readableEnded) {
        waitingSince = performance.now();
        const remainingMs = deadlineMs + (bytes / MIN_BODY_BYTES_PER_SECOND) * 1000 - waitedMs;
        timer = setTimeout(() => stream.destroy(tooSlow()), Math.max(0, remainingMs));
      }
      req.resume();
    },
    destroy(error, done) {
      detach();
      done(error);
    },
  });
  function append(chunk: Buffer): void {
    stopWaiting();
    bytes += chunk.length;
    try {
      onChunk(chunk);
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (!stream.push(chunk)) {
      req.pause();
    }
  }
  function end(): void {
    detach();
    stream.push(null);
  }
  function abort(): void {
    stream.destroy(new Error('The caller closed the connection.'));
  }
  req.pause();
  if (req.destroyed) {
    abort();
  } else {
    req.on('data', append).on('end', end).on('close', abort).pause();
  }
  return stream;
}

const tooSlow = () =>
  new ContractError(
    408,
    'request_timeout',
    `Timed out receiving the request body. Send at least ${MIN_BODY_BYTES_PER_SECOND} bytes per second.`,
  );
