import type { Request, Response } from 'express';
import { contentTooLarge } from '../../../contract/errors.ts';
import { BODY_DEADLINE_MS, receive } from '../../../contract/request/bodies/receive.ts';
import { countRequest } from './body-memory.ts';

/**
 * Receives the body of a request as it was sent, without decompressing it.
 *
 * @param subject what the body is, for messages
 * @throws ContractError 408 or 413, 503 when too much memory is used by bodies of the caller
 */
export async function receiveBody(
  req: Request,
  res: Response,
  { maxBytes, subject }: { maxBytes: number; subject: string },
): Promise<Buffer> {
  const requireSize = (size: number) => {
    if (size > maxBytes) {
      throw contentTooLarge(`${subject} exceeds ${maxBytes} bytes.`);
    }
  };
  requireSize(Number(req.headers['content-length'] ?? 0));
  const count = countRequest(req, res);
  let bytes = 0;
  const chunks = await receive(req, res, {
    deadlineMs: BODY_DEADLINE_MS,
    onChunk: ({ length }) => {
      bytes += length;
      requireSize(bytes);
      count(length);
    },
  });
  return Buffer.concat(chunks);
}
