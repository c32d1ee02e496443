import type { ErrorFormat } from '@colophon/toolkit/server';

/** Body of error responses. Adapt it to the one that the contract declares. */
export const errorFormat: ErrorFormat = ({ status, message }) => ({
  contentType: 'application/json',
  body: { code: status, message },
});
