import { randomBytes } from 'node:crypto';
import { Html } from '../../../../contract/docs/html.ts';

const NONCE_BYTES = 18;
/** Length of each nonce, in base64url. */
export const NONCE_CHARACTERS = (NONCE_BYTES * 4) / 3;

/**
 * Takes the place of the nonce in pages, which are cached, until a response is sent. Authors cannot guess it, because
 * it is random for each process.
 */
export const NONCE = new Html(`nonce-${randomBytes(NONCE_BYTES).toString('base64url')}`);

/** Creates the nonce of a response. */
export const createNonce = (): string => randomBytes(NONCE_BYTES).toString('base64url');
