import type { Answer, MediaType, Operation } from '../contract/contract.ts';

/** What an operation declares for a status, and the key under which it does. */
export interface DeclaredAnswer {
  /** `200`, `2XX` or `default`. */
  key: string;
  answer: Answer;
}

/** The declaration that speaks for a status: its own, else that of its range, else `default` (OpenAPI, Responses Object). */
export function declaredAnswer(operation: Operation, status: number): DeclaredAnswer | undefined {
  const range = `${Math.floor(status / 100)}XX`;
  for (const key of [String(status), range, range.toLowerCase(), 'default']) {
    const answer = operation.answers[key];
    if (answer) return { key, answer };
  }
  return undefined;
}

/** What is declared for a media type, and the key under which it is. */
export interface DeclaredMedia {
  key: string;
  media: MediaType;
}

/**
 * The declaration that speaks for a media type: of those that match the most specific (OpenAPI, Response Object).
 * Parameters count only where the declaration names them: `application/json` speaks for any charset.
 */
export function declaredMedia(
  content: Readonly<Record<string, MediaType>>,
  contentType: string,
): DeclaredMedia | undefined {
  const given = mediaTypeOf(contentType);
  let best: (DeclaredMedia & { rank: number }) | undefined;
  for (const [key, media] of Object.entries(content)) {
    const rank = rankOf(mediaTypeOf(key), given);
    if (rank > (best?.rank ?? 0)) best = { key, media, rank };
  }
  return best && { key: best.key, media: best.media };
}

interface ParsedMediaType {
  type: string;
  parameters: Map<string, string>;
}

/** The parts of a media type in lower case, but for values other than charsets (RFC 9110, 8.3.1). */
function mediaTypeOf(text: string): ParsedMediaType {
  const [type = '', ...rest] = text.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  const parameters = rest.flatMap((part): [string, string][] => {
    const [, name, value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    if (name === undefined) return [];
    const plain = value.replace(/^"(.*)"$/s, '$1').replace(/\\(.)/gs, '$1');
    return [[name.toLowerCase(), name.toLowerCase() === 'charset' ? plain.toLowerCase() : plain]];
  });
  return { type: type.trim().toLowerCase(), parameters: new Map(parameters) };
}

/** How closely a declared type speaks for one that was given; 0 where it does not. */
function rankOf(declared: ParsedMediaType, given: ParsedMediaType): number {
  for (const [name, value] of declared.parameters) if (given.parameters.get(name) !== value) return 0;
  if (declared.type === given.type) return 3 + declared.parameters.size;
  if (declared.type === '*/*') return 1;
  return declared.type.endsWith('/*') && given.type.startsWith(declared.type.slice(0, -1)) ? 2 : 0;
}
