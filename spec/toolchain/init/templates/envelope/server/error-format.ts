/** Body of error responses: `{ "error": { "code", "reason", "message", … } }`. */
export { errorEnvelope as errorFormat } from '@colophon/toolkit/server';
