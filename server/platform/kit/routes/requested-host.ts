import type { Request } from 'express';

/** Returns the host of a request: in lower case, and without the dot at the end of a complete name. Empty in HTTP/1.0. */
export const requestedHost = ({ hostname }: Request): string =>
  (hostname ?? '').toLowerCase().replace(/\.$/, '');
