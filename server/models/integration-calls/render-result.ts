import type { components } from '../../../generated/schema.d.ts';
import { lazily } from '../../contract/lazily.ts';
import { compileSchema } from '../../contract/schema-check.ts';
import { readContract } from '../../contract-document.ts';
import type { IntegrationResponse } from './calls.ts';

type RenderResult = components['schemas']['RenderResult'];

const checkResult = lazily(() =>
  compileSchema(readContract(), { $ref: '#/components/schemas/RenderResult' }, undefined, true),
);

/** Maximum number of characters of the error of a script that its caller sees. */
export const MAX_SCRIPT_ERROR_CHARACTERS = 500;

/** A response that is not what was requested. The message states the cause for the developer of the integration. */
export class IntegrationResponseError extends Error {
  override readonly name = 'IntegrationResponseError';
}

/**
 * Reads the response to the event `ui_render`, which has the schema of the contract.
 *
 * @throws IntegrationResponseError if it is anything else
 */
export function readRenderResult({ status, body }: IntegrationResponse): RenderResult {
  if (status !== 200) {
    throw new IntegrationResponseError(errorOf(status, body));
  }
  let result: unknown;
  let fault: { path: string; message: string } | undefined;
  try {
    result = JSON.parse(Buffer.from(body).toString());
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

/** Returns the error of a script. Its text is for users: the runtime library of integrations replaces all others. */
function errorOf(status: number, body: Uint8Array): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(body).toString());
  } catch {
    // A text.
  }
  const text = typeof parsed === 'object' && parsed !== null && 'error' in parsed ? parsed.error : undefined;
  return typeof text === 'string'
    ? `The integration returned the error: ${text.slice(0, MAX_SCRIPT_ERROR_CHARACTERS)}`
    : `The integration returned the status ${status}.`;
}
