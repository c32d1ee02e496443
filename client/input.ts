import type { ParameterLocation } from './types.ts';

/** Parameters by location, and body of a call. */
interface SplitInput {
  params: Record<ParameterLocation, Record<string, unknown>>;
  body?: unknown;
}

/**
 * Splits the input of a generated function into the parts of a request. What is neither in the path nor the body is in
 * the query.
 * @param path path template with parameters in braces
 * @param nested locations whose parameters are in a property of the input
 */
export function splitInput(
  path: string,
  input: object,
  nested: readonly ParameterLocation[] = [],
): SplitInput {
  const split: SplitInput = { params: { path: {}, query: {}, header: {}, cookie: {} } };
  const isNested = (name: string): name is ParameterLocation => nested.some((location) => location === name);
  for (const [name, value] of Object.entries(input)) {
    if (isNested(name)) {
      split.params[name] = value;
    } else if (path.includes(`{${name}}`) || path.includes(`{+${name}}`)) {
      split.params.path[name] = value;
    } else if (name === 'body') {
      split.body = value;
    } else {
      split.params.query[name] = value;
    }
  }
  return split;
}
