import type { ParameterLocation } from './types.ts';

/** Parameters by location, and body of a call. */
interface SplitInput {
  params: { [Part in ParameterLocation]?: Record<string, unknown> };
  body?: unknown;
}

/**
 * Splits the input of a generated function into the parts of a request. What is neither in the path nor the body is in
 * the query.
 * @param path path template with parameters in braces
 * @param nested locations with parameters in a property of the input
 */
export function splitInput(
  path: string,
  input: object,
  nested: readonly ParameterLocation[] = [],
): SplitInput {
  const inPath: Record<string, unknown> = {};
  const inQuery: Record<string, unknown> = {};
  const split: SplitInput = { params: { path: inPath, query: inQuery } };
  for (const [name, value] of Object.entries(input)) {
    const location = nested.find((part) => part === name);
    if (location) {
      split.params[location] = value;
    } else if (path.includes(`{${name}}`) || path.includes(`{+${name}}`)) {
      inPath[name] = value;
    } else if (name === 'body') {
      split.body = value;
    } else {
      inQuery[name] = value;
    }
  }
  return split;
}
