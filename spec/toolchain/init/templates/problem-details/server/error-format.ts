/** Body of error responses: problem details (RFC 9457). */
export { problemDetails as errorFormat } from '@colophon/toolkit/server';
