import { createHash, randomBytes } from 'node:crypto';

/** How every access token begins, so that a leaked one is recognised. */
const PREFIX = 'colophon_';

/** A new access token: opaque, random (256 bits), with a recognisable prefix. It is never stored. */
export const makeToken = (): string => PREFIX + randomBytes(32).toString('base64url');

/** What is stored of a token: its SHA-256. A random token needs neither salt nor stretching. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
