import type { DeclaredResponse, MediaType, Operation } from '../../model/contract/contract.ts';
import { isJsonType } from '../wire/response.ts';

/** Declaration of a response, with its key. */
export interface MatchedResponse {
  /** `200`, `2XX` or `default`. */
  key: string;
  response: DeclaredResponse;
}

/** Returns the declaration of a status: its own, else that of its range, else `default` (OpenAPI, Responses Object). */
export function matchResponse(operation: Operation, status: number): MatchedResponse | undefined {
  const range = `${Math.floor(status / 100)}XX`;
  for (const key of [String(status), range, range.toLowerCase(), 'default']) {
    const response = operation.responses[key];
    if (response) {
      return { key, response };
    }
  }
  return undefined;
}

/** Declaration of a media type, with its key. */
export interface DeclaredMedia {
  key: string;
  media: MediaType;
}

/**
 * Returns the declaration of a media type: the most specific one that matches (OpenAPI, Response Object). Only
 * parameters in the declaration are compared: `application/json` matches any charset.
 */
export function declaredMedia(
  content: Readonly<Record<string, MediaType>>,
  contentType: string,
): DeclaredMedia | undefined {
  const actual = mediaTypeOf(contentType);
  let closest: (DeclaredMedia & { rank: number }) | undefined;
  for (const [key, media] of Object.entries(content)) {
    const rank = rankOf(mediaTypeOf(key), actual);
    if (rank > (closest?.rank ?? 0)) {
      closest = { key, media, rank };
    }
  }
  return closest && { key: closest.key, media: closest.media };
}

interface ParsedMediaType {
  type: string;
  parameters: Map<string, string>;
}

/** Parses a media type to lowercase, except for parameter values other than charsets (RFC 9110, 8.3.1). */
function mediaTypeOf(text: string): ParsedMediaType {
  const [type = '', ...rest] = text.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  const parameters = rest.flatMap((part): [string, string][] => {
    const [, name, value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    if (name === undefined) {
      return [];
    }
    const plain = value.replace(/^"(.*)"$/s, '$1').replace(/\\(.)/gs, '$1');
    return [[name.toLowerCase(), name.toLowerCase() === 'charset' ? plain.toLowerCase() : plain]];
  });
  return { type: type.trim().toLowerCase(), parameters: new Map(parameters) };
}

/** Returns the specificity of a declared type that matches the actual one; 0 if it does not match. */
function rankOf(declared: ParsedMediaType, actual: ParsedMediaType): number {
  for (const [name, value] of declared.parameters) {
    // JSON has one charset, with and without this parameter (RFC 8259, 11).
    const isRedundant = name === 'charset' && isJsonType(declared.type);
    if (!isRedundant && actual.parameters.get(name) !== value) {
      return 0;
    }
  }
  if (declared.type === actual.type) {
    return 3 + declared.parameters.size;
  }
  if (declared.type === '*/*') {
    return 1;
  }
  return declared.type.endsWith('/*') && actual.type.startsWith(declared.type.slice(0, -1)) ? 2 : 0;
}
