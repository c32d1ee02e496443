import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { middleware } from 'express-openapi-validator';
import { leanDocument, type OpenApiDocument } from './document.ts';
import { badRequest, ContractError, type Fault } from './errors.ts';

/** At most so many faults of one request are told. */
const MOST_FAULTS = 50;

/**
 * Validates requests of one path of the contract and answers their faults. Where responses are
 * validated too, a fault of the response that is sent later goes to `next`.
 */
export type PathValidator = (req: Request, res: Response, next: NextFunction) => Promise<Fault[]>;

/**
 * A validator per path, built when its first request comes: one validator over the whole document
 * matches every path against every request, and takes seconds and hundreds of megabytes to build.
 *
 * @param document the contract as emitted
 * @param responses whether what handlers answer is validated too
 */
export function createValidation(
  document: OpenApiDocument,
  responses: boolean,
): (path: string) => PathValidator {
  const validators = new Map<string, PathValidator>();
  return (path) => {
    let validator = validators.get(path);
    if (!validator) {
      validator = validatorOf(document, path, responses);
      validators.set(path, validator);
    }
    return validator;
  };
}

function validatorOf(document: OpenApiDocument, path: string, responses: boolean): PathValidator {
  const steps: RequestHandler[] = middleware({
    // The lean copy is still an OpenAPI 3.1 document; the validator's type of it asks for more fields.
    apiSpec: leanDocument(document, path) as never,
    validateApiSpec: false,
    validateSecurity: false,
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
    validateResponses: responses && { coerceTypes: false, removeAdditional: false },
    ajvFormats: { mode: 'full' },
    fileUploader: false,
    $refParser: { mode: 'bundle' },
  });
  return async (req, res, next) => {
    const faults: Fault[] = [];
    for (const step of steps) {
      const error = await run(step, req, res, next);
      if (error !== undefined) faults.push(...faultsOf(error));
    }
    return faults.slice(0, MOST_FAULTS);
  };
}

/** Runs one step of the validator and answers the error that it told; what it tells later goes to `late`. */
function run(step: RequestHandler, req: Request, res: Response, late: NextFunction): Promise<unknown> {
  return new Promise((done) => {
    let told = false;
    const tell = (error?: unknown) => {
      if (told) late(error);
      else done(error);
      told = true;
    };
    try {
      // The steps wait for the document by promises, whose rejections they hand to `next`.
      void step(req, res, tell);
    } catch (error) {
      tell(error);
    }
  });
}

interface ValidatorError {
  status: number;
  errors?: { path: string; message: string; errorCode?: string }[];
}

const isValidatorError = (error: unknown): error is ValidatorError =>
  error instanceof Error && 'status' in error && typeof error.status === 'number';

/** What the validator found, as faults; anything but a fault of the request is thrown on. */
function faultsOf(error: unknown): Fault[] {
  if (!isValidatorError(error) || error.status >= 500) throw error;
  if (error.status === 404) throw new ContractError(404, 'There is nothing at this path.');
  if (error.status !== 400 || !error.errors) {
    const message = error instanceof Error ? error.message : 'The request does not fit the contract.';
    throw new ContractError(error.status, message);
  }
  const told = new Map<string, Fault>();
  for (const { path, message } of error.errors) {
    const fault = faultAt(path, message);
    const key = `${fault.in} ${fault.path}`;
    const before = told.get(key);
    // Alternatives of a union each tell why they do not fit: one line per field says it all.
    if (!before) told.set(key, fault);
    else if (!before.message.split(', or ').includes(message)) before.message += `, or ${message}`;
  }
  return [...told.values()];
}

const PARTS: Record<string, Fault['in']> = {
  query: 'query',
  params: 'path',
  headers: 'header',
  body: 'body',
};

function faultAt(pointer: string, message: string): Fault {
  const [, part = '', ...steps] = pointer.split('/');
  return { in: PARTS[part] ?? 'body', path: steps.join('.'), message };
}

/** The 400 that tells all faults of a request at once. */
export function refusal(faults: Fault[]): ContractError {
  const first = faults
    .slice(0, 3)
    .map((fault) => `${fault.in}${fault.path ? ` ${fault.path}` : ''} ${fault.message}`)
    .join('; ');
  const more = faults.length > 3 ? `; and ${faults.length - 3} more` : '';
  return badRequest(`The request does not fit the contract: ${first}${more}.`, faults);
}
