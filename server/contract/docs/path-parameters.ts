/** What a path needs to know of a parameter. */
interface PathParameter {
  in: string;
  name: string;
  isReserved: boolean;
}

/**
 * Reads the parameters in a path: `{name}`, or `{+name}` and `{name+}` for a value of several segments.
 *
 * @param undeclared creates a parameter that the contract does not declare
 * @returns the path without these operators, and all parameters of the operation
 */
export function readPath<Parameter extends PathParameter>(
  path: string,
  declared: readonly Parameter[],
  undeclared: (name: string) => Parameter,
): { template: string; parameters: Parameter[] } {
  const parameters = [...declared];
  const find = (name: string) =>
    parameters.find((parameter) => parameter.in === 'path' && parameter.name === name);
  const template = path.replace(/\{([^{}/]+)\}/g, (_, expression: string) => {
    const isReserved = !find(expression) && /^\+.|.\+$/.test(expression);
    const name = isReserved ? expression.replace(/^\+|\+$/, '') : expression;
    const known = find(name);
    const parameter = known ?? undeclared(name);
    parameter.isReserved ||= isReserved;
    if (!known) {
      parameters.push(parameter);
    }
    return `{${name}}`;
  });
  return { template, parameters };
}
