import { decodeBase64url } from '../../../contract/base64url.ts';

/** Maximum length of a visitor token in characters. */
export const MAX_VISITOR_TOKEN_CHARACTERS = 8192;

/** Three parts of base64url. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Returns whether a text can be a visitor token, in its only spelling, without verifying it. */
export const isWellFormedVisitorToken = (token: string): boolean =>
  token.length <= MAX_VISITOR_TOKEN_CHARACTERS &&
  TOKEN.test(token) &&
  token.split('.').every((part) => decodeBase64url(part) !== undefined);
