import type { Request, Response } from 'express';
import { contentTooLarge } from '../contract/errors.ts';
import { BODY_DEADLINE_MS, receive } from '../contract/receive.ts';

/**
 * Receives the body of a request as it was sent, without decompressing it.
 *
 * @param subject what the body is, for messages
 * @throws ContractError 408 or 413
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
  let bytes = 0;
  const chunks = await receive(req, res, {
    deadlineMs: BODY_DEADLINE_MS,
    onChunk: ({ length }) => {
      bytes += length;
      requireSize(bytes);
    },
  });
  return Buffer.concat(chunks);
}
