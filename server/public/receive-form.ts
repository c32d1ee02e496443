import type { Request, Response } from 'express';
import { contentTooLarge, unsupportedMediaType } from '../contract/errors.ts';
import { BODY_DEADLINE_MS, receive } from '../contract/receive.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * Receives a form that a browser sends. Compressed forms are not accepted.
 *
 * @param sender who sends the form, for messages
 * @throws ContractError 408, 413 or 415
 */
export async function receiveForm(
  req: Request,
  res: Response,
  { maxBytes, sender }: { maxBytes: number; sender: string },
): Promise<URLSearchParams> {
  if (!req.is(FORM_TYPE) || req.headers['content-encoding'] !== undefined) {
    throw unsupportedMediaType(
      `The form of ${sender} must be sent as ${FORM_TYPE}, without a content coding.`,
    );
  }
  const requireSize = (size: number) => {
    if (size > maxBytes) {
      throw contentTooLarge(`The form of ${sender} exceeds ${maxBytes} bytes.`);
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
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
