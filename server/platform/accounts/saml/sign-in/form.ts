import type { Request, Response } from 'express';
import { requestMalformed } from '../../../../contract/errors.ts';
import { receiveForm } from '../../../kit/routes/receive-form.ts';

/** Maximum size of the form with the response of an identity provider. */
export const MAX_SAML_FORM_BYTES = 262_144;

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
export async function receiveResponse(req: Request, res: Response): Promise<ResponseForm> {
  const form = await receiveForm(req, res, {
    maxBytes: MAX_SAML_FORM_BYTES,
    sender: 'the identity provider',
  });
  const [[response, ...responses], [relayState = '', ...states]] = [
    form.getAll('SAMLResponse'),
    form.getAll('RelayState'),
  ];
  if (response === undefined || responses.length > 0 || states.length > 0) {
    throw requestMalformed('The form must contain one SAMLResponse and one RelayState.');
  }
  return { response, relayState };
}
