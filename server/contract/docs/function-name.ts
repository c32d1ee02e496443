/** Names that functions of the generated client may not have. */
const RESERVED = new Set(
  (
    'operations client ' +
    'Array Blob Omit OneOf Pick Readonly ReadonlyArray Record WithRequired Without XOR ' +
    'any bigint boolean never null number object string symbol undefined unknown void ' +
    'await break case catch class const continue debugger default delete do else enum export extends false finally ' +
    'for function if implements import in instanceof interface let new package private protected public return static ' +
    'super switch this throw true try typeof var while with yield components paths webhooks'
  ).split(' '),
);

/**
 * Returns the name of the generated function of an operation. A name that several operations or models share gets a
 * number in the generated client, which samples do not show.
 */
export function functionName(operationId: string): string {
  const [first = '', ...others] = operationId.split(/[^A-Za-z0-9$]+/).filter((word) => word !== '');
  const camel =
    first.charAt(0).toLowerCase() +
    first.slice(1) +
    others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const name = /^[A-Za-z$]/.test(camel) ? camel : `call${camel}`;
  return RESERVED.has(name) ? `${name}Operation` : name;
}

/** Returns whether a text is an identifier of JavaScript. */
export const isIdentifier = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text);
