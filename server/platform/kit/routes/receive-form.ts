import type { Request, Response } from 'express';
import { contentTooLarge, unsupportedMediaType } from '../../../contract/errors.ts';
import { receiveBody } from './receive-body.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Maximum number of fields of a form that a browser sends. */
export const MAX_FORM_FIELDS = 5000;

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
  const body = await receiveBody(req, res, { maxBytes, subject: `The form of ${sender}` });
  const form = new URLSearchParams(body.toString());
  if (form.size > MAX_FORM_FIELDS) {
    throw contentTooLarge(`The form of ${sender} has more than ${MAX_FORM_FIELDS} fields.`);
  }
  return form;
}
