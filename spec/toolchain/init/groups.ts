import { METHODS, type OpenApiDocument, type Operation } from '../document.ts';
import { capitalize, uncapitalize, unusedName } from '../names.ts';

/** Maximum length of the name of a module of handlers. File systems limit names to 255 bytes. */
const MAX_NAME_CHARACTERS = 60;

/** Operation that needs a handler. */
export interface HandledOperation {
  id: string;
  /** Method in lower case. */
  method: string;
  path: string;
  operation: Operation;
}

/** Operations with handlers in one file. */
export interface Group {
  /** Tag of the operations, or else their interface; null for those without both. */
  name: string | null;
  /** Name of the module in `server/handlers/`, without extension. */
  file: string;
  /** Name of its constant. */
  constant: string;
  operations: HandledOperation[];
}

/**
 * Groups the operations of a generated document, in its order.
 *
 * @param unsupported ids of operations that need no handler, because the server refuses them
 */
export function groupsOf(document: OpenApiDocument, unsupported: ReadonlySet<string>): Group[] {
  const byName = Map.groupBy(
    handledOperations(document).filter(({ id }) => !unsupported.has(id)),
    ({ id, operation }) => operation.tags?.[0] ?? interfaceOf(id) ?? null,
  );
  const files = new Set<string>();
  const constants = new Set<string>();
  return [...byName].map(([name, operations]) => {
    const words = wordsOf(name ?? 'untagged');
    return {
      name,
      file: unique(fileName(words), files),
      constant: unique(constantName(words), constants),
      operations,
    };
  });
}

/** Interface of an operation with an id of TypeSpec: `Tasks` of `Tasks_list`. `HandlersOf` computes the same. */
function interfaceOf(id: string): string | undefined {
  const name = id.slice(0, Math.max(0, id.indexOf('_')));
  return id.includes('_') && name === capitalize(name) ? name : undefined;
}

function handledOperations(document: OpenApiDocument): HandledOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      const id = operation?.operationId;
      return operation === undefined || id === undefined ? [] : [{ id, method, path, operation }];
    }),
  );
}

function constantName(words: readonly string[]): string {
  const [first = '', ...others] = words;
  const name = uncapitalize(first) + others.map(capitalize).join('');
  return `${/^\p{L}/u.test(name) ? name : `group${name}`}Handlers`;
}

/** Words of a tag, as many as fit in the name of a file. */
function wordsOf(tag: string): string[] {
  const words = tag.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const [first = 'group', ...others] = words.map((word) => [...word].slice(0, MAX_NAME_CHARACTERS).join(''));
  let length = first.length;
  const end = others.findIndex((word) => {
    length += word.length + 1;
    return length > MAX_NAME_CHARACTERS;
  });
  return [first, ...(end === -1 ? others : others.slice(0, end))];
}

function fileName(words: readonly string[]): string {
  const name = words.map((word) => word.toLowerCase()).join('-');
  // Names of devices on Windows.
  return /^(con|prn|aux|nul|com\d|lpt\d)$/.test(name) ? `${name}-handlers` : name;
}

function unique(name: string, used: Set<string>): string {
  const result = unusedName(name, (unused) => used.has(unused));
  used.add(result);
  return result;
}
