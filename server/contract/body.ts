import express, { type Request, type RequestHandler, type Response } from 'express';
import type { OperationObject } from './document.ts';
import { badRequest, ContractError, contentTooLarge, unsupportedMediaType } from './errors.ts';

/** The body limit in bytes of an operation that declares none. */
export const USUAL_BODY_LIMIT = 1_048_576;

const parsers = new Map<number, RequestHandler>();

function parserFor(limit: number): RequestHandler {
  let parser = parsers.get(limit);
  if (!parser) {
    parser = express.json({ limit, strict: false, type: () => true });
    parsers.set(limit, parser);
  }
  return parser;
}

/**
 * Reads the JSON body of a request into `req.body`, undefined where there is none. The header is
 * normalised to the bare media type: the validator compiles one validator per distinct
 * `Content-Type`, parameters included, which a stranger must not be able to multiply.
 *
 * @throws ContractError 400 for malformed JSON, 413 for a body over the limit, 415 for another type
 */
export async function readBody(req: Request, res: Response, operation: OperationObject): Promise<void> {
  const header = req.headers['content-type'];
  delete req.headers['content-type'];
  if (!operation.requestBody) {
    req.body = undefined;
    return;
  }
  const empty =
    req.headers['transfer-encoding'] === undefined && Number(req.headers['content-length'] ?? 0) === 0;
  if (empty) {
    req.body = undefined;
    return;
  }
  const mediaType = header?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json' || !('application/json' in operation.requestBody.content))
    throw unsupportedMediaType(mediaType);
  // The parser reads the charset from the header; RFC 8259 leaves it no choice but UTF-8.
  if (/charset\s*=\s*"?(?!utf-?8)[^;"]/i.test(header ?? '')) throw unsupportedMediaType(header);
  req.headers['content-type'] = 'application/json';
  const limit = operation['x-max-body-bytes'] ?? USUAL_BODY_LIMIT;
  await new Promise<void>((done, fail) => {
    parserFor(limit)(req, res, (error: unknown) =>
      error === undefined ? done() : fail(bodyError(error, limit)),
    );
  });
}

/** What the parser says of a body (its errors carry a `type`), in the contract's words. */
function bodyError(error: unknown, limit: number): ContractError {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return contentTooLarge(limit);
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return new ContractError(
      415,
      'The content encoding of the body is not supported; send it plain or as gzip.',
    );
  const reason =
    type === 'entity.parse.failed' && error instanceof Error
      ? `is not JSON: ${error.message}`
      : 'could not be read';
  return badRequest(`The body ${reason}.`, [{ in: 'body', path: '', message: reason }]);
}
