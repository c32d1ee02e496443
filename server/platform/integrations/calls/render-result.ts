import type { components } from '../../../../generated/schema.d.ts';
import { lazily } from '../../../contract/lazily.ts';
import { compileSchema } from '../../../contract/validation/schema-check.ts';
import { readContract } from '../../kit/contract-document.ts';
import type { IntegrationResponse } from './calls.ts';
import { contractResult } from './element-forms.ts';

type RenderResult = components['schemas']['RenderResult'];

const checkResult = lazily(() =>
  compileSchema(readContract(), { $ref: '#/components/schemas/RenderResult' }, undefined, true),
);

/** Maximum number of characters of the error of a script that its caller sees. */
export const MAX_SCRIPT_ERROR_CHARACTERS = 500;

/** A response that is not what was requested. The message states the cause for the developer of the integration. */
export class IntegrationResponseError extends Error {
  override readonly name: string = 'IntegrationResponseError';
}

/** The script rejects a call with an error for its user. The message is the text of the script. */
export class IntegrationRejectionError extends IntegrationResponseError {
  /** Status of the response to the user. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Statuses that do not concern the request to this server, unlike 401 and 429: clients react to these. */
const USER_ERROR_STATUSES: ReadonlySet<number> = new Set([400, 402, 403, 404, 406, 409, 410, 422]);

/**
 * Reads the response to the event `ui_render`, which has the schema of the contract.
 *
 * @throws IntegrationRejectionError if it is an error for the user
 * @throws IntegrationResponseError if it is anything else
 */
export function readRenderResult({ status, body }: IntegrationResponse): RenderResult {
  if (status !== 200) {
    throw responseError({ status, body });
  }
  let result: unknown;
  let fault: { path: string; message: string } | undefined;
  try {
    result = contractResult(JSON.parse(Buffer.from(body).toString()));
    [fault] = checkResult()(result);
  } catch (error) {
    // Elements that are nested too deeply exceed the stack of the check.
    if (error instanceof SyntaxError || error instanceof RangeError) {
      throw new IntegrationResponseError(`The integration returned no valid element: ${error.message}.`);
    }
    throw error;
  }
  if (fault) {
    throw new IntegrationResponseError(
      `The integration returned no valid element: ${fault.path} ${fault.message}.`,
    );
  }
  // The schema of the contract was checked.
  return result as RenderResult;
}

/**
 * Returns the error of a script. The text of an error from 400 to 499 is for users: the runtime library of integrations
 * responds 500 to all others, without their text.
 */
export function responseError({
  status,
  body,
}: Pick<IntegrationResponse, 'status' | 'body'>): IntegrationResponseError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(body).toString());
  } catch {
    // A text.
  }
  const text = typeof parsed === 'object' && parsed !== null && 'error' in parsed ? parsed.error : undefined;
  if (typeof text !== 'string' || text === '') {
    return new IntegrationResponseError(`The integration returned the status ${status}.`);
  }
  const shown = text.slice(0, MAX_SCRIPT_ERROR_CHARACTERS);
  return status >= 400 && status < 500
    ? new IntegrationRejectionError(USER_ERROR_STATUSES.has(status) ? status : 400, shown)
    : new IntegrationResponseError(`The integration returned the error: ${shown}`);
}
