import { randomBytes } from 'node:crypto';
import { Html } from '../../../../contract/docs/html.ts';

/**
 * Takes the place of the nonce in pages, which are cached, until a response is sent. Authors cannot guess it, because
 * it is random for each process.
 */
export const NONCE = new Html(`nonce-${randomBytes(18).toString('base64url')}`);

/** Creates the nonce of a response. */
export const createNonce = (): string => randomBytes(18).toString('base64url');
