import { parseReference } from '../../../server/contract/json-values.ts';
import {
  dereference,
  isObject,
  type Json,
  METHODS,
  type Method,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem,
} from '../document.ts';
import { eachObject } from '../rewrite.ts';

/** A path as servers receive it, and what the path of the document has besides. */
interface Split {
  path: string;
  /** Value of each query parameter: the name of the parameter in braces, or the text. */
  query: [name: string, value: string][];
  /** Names of optional query parameters. */
  optional: string[];
}

/**
 * Moves the operations of paths with a query or a fragment to the path that a server receives, in place: a path of OpenAPI
 * has neither, but some documents distinguish or describe operations by them. The query becomes parameters. Operations
 * that have the same method and path then remain, because nothing distinguishes their requests.
 *
 * @param report receives what was moved
 */
export function movePathQueries(document: OpenApiDocument, report: (message: string) => void): void {
  const referenced = referencedPaths(document);
  const moves = Object.entries(document.paths).flatMap(([path, item]) => {
    const split = splitPath(path);
    return split === undefined || referenced.has(path)
      ? []
      : METHODS.flatMap((method) => (item[method] ? [{ path, item, method, split }] : []));
  });
  const targets = Map.groupBy(moves, ({ method, split }) => `${method} ${shapeOf(split.path)}`);
  const existing = new Set(
    Object.entries(document.paths).flatMap(([path, item]) =>
      splitPath(path) === undefined
        ? METHODS.flatMap((method) => (item[method] ? [`${method} ${shapeOf(path)}`] : []))
        : [],
    ),
  );
  for (const [target, [move, ...others]] of targets) {
    if (move === undefined || others.length > 0 || existing.has(target)) {
      continue;
    }
    const { path, item, method, split } = move;
    const moved = movedOperation(document, item, method, split);
    document.paths[split.path] = { ...document.paths[split.path], [method]: moved };
    delete item[method];
    if (!METHODS.some((other) => item[other])) {
      delete document.paths[path];
    }
    report(
      `${method.toUpperCase()} ${path} is read as ${split.path}: a path has no query or fragment. Declare query parameters instead.`,
    );
  }
}

/** Returns the parts of a path with a query or a fragment; undefined if it has none. */
function splitPath(template: string): Split | undefined {
  const optional: string[] = [];
  // An expression of RFC 6570, section 3.2.8: `{?page,limit}`.
  const text = template.replaceAll(/\{[?&]([^{}]*)\}/g, (_, names: string) => {
    optional.push(...names.split(',').map((name) => name.trim().replace(/\*$/, '')));
    return '';
  });
  const [whole = ''] = text.split('#');
  const [path = '', query = ''] = whole.split('?');
  if (path === template || !path.startsWith('/')) {
    return undefined;
  }
  const pairs = query.split('&').flatMap((pair): [string, string][] => {
    const [name = '', ...value] = pair.split('=');
    return name === '' ? [] : [[name, value.join('=')]];
  });
  return { path, query: pairs, optional };
}

/** A path without the names of its parameters, since they do not distinguish requests. */
const shapeOf = (path: string): string => path.replaceAll(/\{[^{}]*\}/g, '{}');

function movedOperation(
  document: OpenApiDocument,
  item: PathItem,
  method: Method,
  { query, optional }: Split,
): Operation {
  const operation = item[method] ?? {};
  const own = operation.parameters ?? [];
  const keyOf = (declared: (typeof own)[number]): string => {
    const { in: place, name } = dereference<Parameter>(document, declared);
    return `${place} ${name}`;
  };
  const overridden = new Set(own.map(keyOf));
  const inherited = (item.parameters ?? []).filter((declared) => !overridden.has(keyOf(declared)));
  const all = [...inherited, ...own];
  const byKey = new Map(all.map((declared) => [keyOf(declared), declared]));
  const added: Parameter[] = [];
  const replaced = new Set<string>();
  for (const [name, value] of query) {
    const [, variable] = /^\{\+?([^{}]+?)\*?\}$/.exec(value) ?? [];
    const source = variable === undefined ? undefined : byKey.get(`path ${variable}`);
    const schema = source && dereference<Parameter>(document, source).schema;
    if (source !== undefined) {
      replaced.add(`path ${variable}`);
    }
    if (!byKey.has(`query ${name}`)) {
      const fixed = variable === undefined && value !== '' ? { enum: [value] } : {};
      added.push({ name, in: 'query', required: true, schema: schema ?? { type: 'string', ...fixed } });
    }
  }
  for (const name of optional.filter((each) => !byKey.has(`query ${each}`))) {
    added.push({ name, in: 'query', schema: { type: 'string' } });
  }
  const parameters = [...all.filter((declared) => !replaced.has(keyOf(declared))), ...added];
  const servers = isObject(item) && Array.isArray(item.servers) ? { servers: item.servers } : {};
  return { ...servers, ...operation, ...(parameters.length > 0 && { parameters }) };
}

/** Paths that references lead into. */
function referencedPaths(document: OpenApiDocument): Set<string> {
  const paths = new Set<string>();
  // A document is JSON.
  eachObject(document as unknown as Json, ({ $ref }) => {
    if (typeof $ref === 'string' && $ref.startsWith('#/paths/')) {
      paths.add(parseReference($ref)[1] ?? '');
    }
  });
  return paths;
}
