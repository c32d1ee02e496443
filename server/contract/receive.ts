import type { IncomingMessage, ServerResponse } from 'node:http';
import { ContractError } from './errors.ts';

/** How long a body may take to arrive, whatever its size; at {@link MIN_BODY_BYTES_PER_SECOND} it may take longer. */
export const BODY_DEADLINE_MS = 30_000;

/** Each second of a body beyond the deadline needs so many bytes received before. */
export const MIN_BODY_BYTES_PER_SECOND = 65_536;

const awaitingContinue = new WeakSet<IncomingMessage>();

/**
 * Marks a request with `Expect: 100-continue`, whose caller sends the body once it is asked to: by
 * {@link receive}, so that a body that nobody reads is never sent.
 */
export function deferContinue(req: IncomingMessage): void {
  awaitingContinue.add(req);
}

/** How {@link receive} reads a body. */
export interface Receiving {
  /** The time that a body of no length may take, in milliseconds. */
  deadlineMs: number;
  /** Called with each part as it arrives. What it throws ends the reading. */
  onChunk: (chunk: Buffer) => void;
}

/**
 * Receives the body of a request as it is sent. Once it has failed, the rest of the body is not read.
 *
 * @returns the chunks in order
 * @throws ContractError 408 for a body that arrives too slowly
 * @throws Error where the caller hangs up
 */
export function receive(
  req: IncomingMessage,
  res: ServerResponse,
  { deadlineMs, onChunk }: Receiving,
): Promise<Buffer[]> {
  if (awaitingContinue.delete(req)) res.writeContinue();
  const chunks: Buffer[] = [];
  const begun = performance.now();
  let bytes = 0;
  return new Promise((resolve, reject) => {
    let timer = setTimeout(checkPace, deadlineMs);
    const settle = () => {
      clearTimeout(timer);
      req.off('data', take).off('end', end).off('error', fail).off('close', hangUp).pause();
    };
    const fail = (error: unknown) => {
      settle();
      reject(error);
    };
    const hangUp = () => fail(new Error('The caller hung up.'));
    function end(): void {
      settle();
      resolve(chunks);
    }
    function take(chunk: Buffer): void {
      bytes += chunk.length;
      try {
        onChunk(chunk);
        chunks.push(chunk);
      } catch (error) {
        fail(error);
      }
    }
    function checkPace(): void {
      const left = begun + deadlineMs + (bytes / MIN_BODY_BYTES_PER_SECOND) * 1000 - performance.now();
      if (left <= 0) fail(tooSlow());
      else timer = setTimeout(checkPace, left);
    }
    if (req.destroyed) hangUp();
    else req.on('data', take).on('end', end).on('error', fail).on('close', hangUp);
  });
}

const tooSlow = () =>
  new ContractError(
    408,
    `The body did not arrive in time: send at least ${MIN_BODY_BYTES_PER_SECOND} bytes a second.`,
  );
