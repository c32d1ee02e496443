import type { Problem } from '../problem.ts';
import { missingHandlerMessage } from './handler-files.ts';

/** Properties of the project that explain errors. */
export interface TypeErrorContext {
  /** Ids of the operations of the contract. */
  operations: ReadonlySet<string>;
  /**
   * Finds the file that the handler of an operation belongs in.
   * @param mapFile file of the object that lacks the handler
   */
  fileOf(operationId: string, mapFile: string): Promise<string>;
}

/** Maximum length of a type in a message. */
const MAX_TYPE_CHARACTERS = 60;
/** Maximum number of names that are listed. */
const MAX_NAMES = 8;

/**
 * Shortens the errors of the compiler to what is wrong, in one line where possible: the differing property of two large
 * types instead of the types, the operations without a handler instead of the type of all handlers.
 */
export async function shortenTypeErrors(
  problems: readonly Problem[],
  context: TypeErrorContext,
): Promise<Problem[]> {
  const brokenFiles = new Set(problems.filter((problem) => !isFollowUp(problem)).map(({ file }) => file));
  const shortened: Problem[] = [];
  for (const problem of problems) {
    if (isFollowUp(problem) && brokenFiles.has(problem.file)) {
      continue;
    }
    const message = unknownOperation(problem, context) ?? shorten(problem.message);
    shortened.push(...((await missingHandlers(problem, context)) ?? [{ ...problem, message }]));
  }
  const first = (problem: Problem) => shortened.find(({ message }) => message === problem.message);
  return shortened.filter((problem) => problem.operation === undefined || problem === first(problem));
}

/** Whether a problem is an implicit `any`, which disappears with the error that its function has no type because of. */
function isFollowUp({ code }: Problem): boolean {
  return code === 'TS7006' || code === 'TS7031';
}

/** Explains an object that lacks handlers: one problem for each operation. */
async function missingHandlers(
  problem: Problem,
  { operations, fileOf }: TypeErrorContext,
): Promise<Problem[] | undefined> {
  const { file, severity, message } = problem;
  if (file === undefined) {
    return undefined;
  }
  for (const line of message.split('\n')) {
    const [, property] = /Property '([^']+)' is missing in type .* but required in type /.exec(line) ?? [];
    const [, several, more] =
      /is missing the following properties from type .*?: ([\w$, ]+?)(?:, and (\d+) more\.?)?$/.exec(line) ??
      [];
    const ids = property === undefined ? (several?.split(', ') ?? []) : [property];
    if (ids.length === 0 || !ids.every((id) => operations.has(id))) {
      continue;
    }
    const missing = ids.map(async (operation): Promise<Problem> => {
      const target = await fileOf(operation, file);
      // The location is where to edit, or it is left out.
      const location = target === file ? problem : { severity };
      return { ...location, message: missingHandlerMessage(operation, target), operation };
    });
    const rest =
      more === undefined ? [] : [{ ...problem, message: `${more} more operations have no handler.` }];
    return [...(await Promise.all(missing)), ...rest];
  }
  return undefined;
}

/** Explains a list of operation ids, or an object of handlers, that names an operation which the contract lacks. */
function unknownOperation({ message }: Problem, { operations }: TypeErrorContext): string | undefined {
  for (const line of message.split('\n')) {
    const [, id, union] =
      /Type '"([\w$]+)"' is not assignable to type '(.*?)'\.(?: Did you mean .*)?$/.exec(line) ??
      /'([\w$]+)' does not exist in type '(.*)'\.$/.exec(line) ??
      [];
    if (id === undefined || union === undefined || operations.has(id)) {
      continue;
    }
    const literals = [...union.matchAll(/"([\w$]+)" \|/g)].map(([, literal = '']) => literal);
    if (literals.length > 1 && literals.every((literal) => operations.has(literal))) {
      return `The contract has no operation '${id}': rename it here, or remove it.`;
    }
  }
  return undefined;
}

/** Shortens a message to its cause, and the path to the property that it is about. */
function shorten(message: string): string {
  const [head = '', ...chain] = message.split('\n');
  const cause = chain.at(-1)?.trim();
  if (cause === undefined) {
    return shortenLine(head);
  }
  const path = propertyPath(chain);
  const text = path === '' ? shortenLine(cause) : `${path}: ${shortenLine(cause)}`;
  return isMismatch(head) ? text : `${shortenLine(head)}\n  ${text}`;
}

/** Returns whether a line states only that two types differ, which later lines explain. */
function isMismatch(line: string): boolean {
  return /^(Type|Argument of type) '.*' (is not assignable to|does not satisfy)/.test(line);
}

/** Path to the property that the last line of a message is about. */
function propertyPath(chain: readonly string[]): string {
  const parts = chain.flatMap((line) => {
    const [, property] =
      /Types of property '(.+)' are incompatible\.$/.exec(line) ??
      /The types (?:of|returned by) '(.+)' are incompatible between these types\.$/.exec(line) ??
      [];
    if (property !== undefined) {
      return [property];
    }
    const [, parameter] = /Types of parameters '(.+)' and '.+' are incompatible\.$/.exec(line) ?? [];
    if (parameter !== undefined) {
      return [`parameter ${parameter}`];
    }
    return /index signatures are incompatible\.$/.test(line) ? ['[…]'] : [];
  });
  return parts.join('.').replaceAll('.[', '[');
}

/** Rewrites the messages about properties, since their types are large, and shortens the types of other messages. */
function shortenLine(line: string): string {
  const missing = /^Property '(.+?)' is missing in type '.*' but required in type '(.*?)'\.?$/s.exec(line);
  if (missing) {
    return `Property '${missing[1]}' is missing${requiredBy(missing[2])}.`;
  }
  const optional = /^Property '(.+?)' is optional in type '.*' but required in type '(.*?)'\.?$/s.exec(line);
  if (optional) {
    return `Property '${optional[1]}' can be missing${requiredBy(optional[2])}.`;
  }
  const several = /^Type '.*' is missing the following properties from type '(.*)': (.+)$/s.exec(line);
  if (several) {
    return `Properties are missing${requiredBy(several[1])}: ${several[2]}`;
  }
  const unknown =
    /^(?:Object literal may only specify known properties, and '(.+?)'|Property '(.+?)') does not exist (?:in|on) type '(.*)'\.( Did you mean .*)?$/s.exec(
      line,
    ) ??
    /^(?:Object literal may only specify known properties, but '(.+?)'|Property '(.+?)') does not exist (?:in|on) type '(.*)'\.( Did you mean .*)$/s.exec(
      line,
    );
  if (unknown) {
    const [, inLiteral, onType, type = '', hint = ''] = unknown;
    const names = propertyNames(type);
    const existing = names.length === 0 ? ` in type ${quoted(type)}` : `; existing: ${listNames(names)}`;
    return `Property '${inLiteral ?? onType}' does not exist${existing}.${hint}`;
  }
  const mismatch = /^Type '(.*?)' is not assignable to type '(.*?)'(?=[. ])(.*)$/s.exec(line);
  if (mismatch) {
    const [, source = '', target = '', rest = ''] = mismatch;
    return `Type ${quoted(source)} is not assignable to type ${quoted(target)}${rest}`;
  }
  return line.replaceAll(/'([^']+)'/g, (_, type: string) => quoted(type));
}

/** Clause about the type that requires a property, with its name if it has one. */
function requiredBy(type = ''): string {
  return isName(type) ? `, but required in type '${type}'` : ', but required';
}

/** Whether a type is printed with its name, rather than with its structure. */
function isName(type: string): boolean {
  return /^[\w$.]+(<[\w$., ]*>)?$/.test(type);
}

/** Quotes a type, shortened if it is long. A literal is quoted already. */
function quoted(type: string): string {
  if (/^"[^"]*"$/.test(type)) {
    return type;
  }
  if (type.length <= MAX_TYPE_CHARACTERS) {
    return `'${type}'`;
  }
  const [, generic] = /^([\w$.]+)<.*>$/.exec(type) ?? [];
  if (generic !== undefined) {
    return `'${generic}<…>'`;
  }
  const names = propertyNames(type);
  if (names.length > 0) {
    return `'{ ${listNames(names)} }'`;
  }
  return `'${type.slice(0, MAX_TYPE_CHARACTERS).replace(/\S*$/, '')}…'`;
}

/** Names of the properties of an object type, as the compiler prints it; none for other types. */
function propertyNames(type: string): string[] {
  if (!type.startsWith('{ ') || !type.endsWith('}')) {
    return [];
  }
  const names: string[] = [];
  let depth = 0;
  for (const [text] of type
    .slice(1)
    .matchAll(/[{([<]|[})\]>]|; |(?:^|(?<=; )|(?<=^ ))"?[\w$-]+"?\??(?=: )/g)) {
    if (/^[{([<]$/.test(text)) {
      depth += 1;
    } else if (/^[})\]>]$/.test(text)) {
      depth -= 1;
    } else if (depth === 0 && text !== '; ') {
      names.push(text.replaceAll('"', '').replace('?', ''));
    }
    // Another member of a union has other properties.
    if (depth < 0) {
      break;
    }
  }
  return names;
}

function listNames(names: readonly string[]): string {
  return names.length <= MAX_NAMES ? names.join(', ') : `${names.slice(0, MAX_NAMES).join(', ')}, …`;
}
