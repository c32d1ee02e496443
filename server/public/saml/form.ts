import type { Request, Response } from 'express';
import { contentTooLarge, requestMalformed, unsupportedMediaType } from '../../contract/errors.ts';
import { BODY_DEADLINE_MS, receive } from '../../contract/receive.ts';

/** Maximum size of the form with the response of an identity provider. Compressed forms are not accepted. */
export const MAX_SAML_FORM_BYTES = 262_144;

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The form that an identity provider has a browser send (HTTP-POST binding). */
export interface ResponseForm {
  /** In base64. */
  response: string;
  relayState: string;
}

/**
 * Receives the form with the response of an identity provider.
 *
 * @throws ContractError 400 for a form without a response or relay state, 408, 413 or 415
 */
export async function receiveForm(req: Request, res: Response): Promise<ResponseForm> {
  if (!req.is(FORM_TYPE) || req.headers['content-encoding'] !== undefined) {
    throw unsupportedMediaType(`The response must be sent as ${FORM_TYPE}, without a content coding.`);
  }
  requireSize(Number(req.headers['content-length'] ?? 0));
  let bytes = 0;
  const chunks = await receive(req, res, {
    deadlineMs: BODY_DEADLINE_MS,
    onChunk: ({ length }) => {
      bytes += length;
      requireSize(bytes);
    },
  });
  const form = new URLSearchParams(Buffer.concat(chunks).toString('latin1'));
  const [[response, ...responses], [relayState = '', ...states]] = [
    form.getAll('SAMLResponse'),
    form.getAll('RelayState'),
  ];
  if (response === undefined || responses.length > 0 || states.length > 0) {
    throw requestMalformed('The form must contain one SAMLResponse and one RelayState.');
  }
  return { response, relayState };
}

function requireSize(bytes: number): void {
  if (bytes > MAX_SAML_FORM_BYTES) {
    throw contentTooLarge(`The response of the identity provider exceeds ${MAX_SAML_FORM_BYTES} bytes.`);
  }
}
