import type { components } from '../../../../../generated/schema.d.ts';
import { fieldsInvalid } from '../../../../contract/errors.ts';
import { lazily } from '../../../../contract/lazily.ts';
import { compileSchema } from '../../../../contract/validation/schema-check.ts';
import { fieldInvalid } from '../../../../errors/errors.ts';
import { readContract } from '../../../kit/contract-document.ts';
import { decompress } from './lz-string.ts';

const checkRequest = lazily(() =>
  compileSchema(readContract(), { $ref: '#/components/schemas/RenderRequest' }, undefined, true),
);

/** Maximum number of characters of a decompressed request. */
export const MAX_REQUEST_CHARACTERS = 262_144;

/**
 * Decodes the request of a rendering from the parameter of a URL.
 *
 * @throws ContractError 400 if it is not compressed JSON of a valid request
 */
export function decodeRequest(compressed: string): components['schemas']['RenderRequest'] {
  // Clients that do not encode the parameter send `+`, which means a space.
  const text = decompress(compressed.replaceAll(' ', '+'), MAX_REQUEST_CHARACTERS);
  if (text === undefined) {
    throw fieldInvalid(
      'request',
      `must be text of at most ${MAX_REQUEST_CHARACTERS} characters, compressed by LZ-string for URLs`,
      'query',
    );
  }
  const value = parse(text);
  const faults = checkRequest()(value);
  if (faults.length > 0) {
    const details = faults.map(({ path, message }) => ({
      in: 'query' as const,
      path: path === '' ? 'request' : `request.${path}`,
      message,
    }));
    throw fieldsInvalid(`${details[0]?.path} ${details[0]?.message}`, details);
  }
  // The schema of the contract was checked.
  return value as components['schemas']['RenderRequest'];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fieldInvalid('request', 'must contain JSON', 'query');
  }
}
