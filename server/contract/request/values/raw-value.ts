/** The texts of a value in a request, before they are converted to the declared types. */
export interface RawValue {
  /** Texts of the value itself; several for a list. */
  texts: string[];
  /** Values of the properties of an object, or of the items of a list by their index. */
  members: Map<string, RawValue> | undefined;
  /** The value itself, if it is sent as JSON. */
  json?: { value: unknown };
}

/** Maximum nesting depth of names with brackets, such as `filter[a][b]`. */
export const MAX_NAME_DEPTH = 16;

/** Creates the raw value of texts. */
export const rawTexts = (texts: string[]): RawValue => ({ texts, members: undefined });

/** Returns the member of an object, which is created if it does not exist. */
export function memberOf(object: RawValue, name: string): RawValue {
  object.members ??= new Map();
  const member = object.members.get(name) ?? rawTexts([]);
  object.members.set(name, member);
  return member;
}

/** A name with brackets: `filter[a][b]` is the member `b` of the member `a` of `filter`. */
export interface BracketName {
  base: string;
  /** Names of the members. An empty one, as in `tags[]`, is that of the next item of a list. */
  steps: string[];
}

/**
 * Splits a name with brackets. Returns undefined for one without brackets or with text between or after them; `steps` has
 * at most one member more than are permitted.
 */
export function splitName(name: string): BracketName | undefined {
  const start = name.indexOf('[');
  if (start < 1 || !name.endsWith(']')) {
    return undefined;
  }
  const steps = name.slice(start + 1, -1).split('][', MAX_NAME_DEPTH + 1);
  return steps.some((step) => step.includes('[') || step.includes(']'))
    ? undefined
    : { base: name.slice(0, start), steps };
}

/**
 * Adds the text of a name with brackets.
 *
 * @returns why it cannot be added; undefined if it was
 */
export function addAt(root: RawValue, steps: readonly string[], text: string): string | undefined {
  if (steps.length > MAX_NAME_DEPTH) {
    return `must not be nested in more than ${MAX_NAME_DEPTH} brackets`;
  }
  if (steps.includes('__proto__')) {
    return 'is not a valid name';
  }
  if (steps.indexOf('') >= 0 && steps.indexOf('') < steps.length - 1) {
    return 'must have the index of the item in its brackets, such as [0]';
  }
  const names = steps.at(-1) === '' ? steps.slice(0, -1) : steps;
  names.reduce(memberOf, root).texts.push(text);
  return undefined;
}
