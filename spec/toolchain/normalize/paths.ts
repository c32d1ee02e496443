import {
  dereference,
  METHODS,
  type OpenApiDocument,
  type Parameter,
  type PathItem,
  type Reference,
} from '../document.ts';
import type { Problem } from '../problem.ts';

/** A path template. */
interface Template {
  /** With each parameter as `{name}`. */
  plain: string;
  /** The parameters, and whether each is expanded with reserved characters. */
  parameters: ReadonlyMap<string, boolean>;
}

/**
 * Makes the parameters in the paths of a document those that the operations declare: an undeclared one is a string, and a
 * declared one that is not in the path is removed. Reserved expansion (`{+name}`, or `{name+}` of some gateways), which
 * OpenAPI 3.1 has no keyword for, becomes a property of the parameter, `x-allow-reserved`.
 *
 * @returns the paths
 */
export function normalizePaths(document: OpenApiDocument): Record<string, PathItem> {
  return Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => {
      const template = templateOf(document, path, item);
      const isUnique = template.plain === path || !(template.plain in document.paths);
      normalizeParameters(document, item, isUnique ? template : { ...template, plain: path });
      return [isUnique ? template.plain : path, item];
    }),
  );
}

/** Reports declared path parameters that are not in the path, which have no effect. */
export function unusedPathParameters(document: OpenApiDocument): Problem[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const { parameters } = templateOf(document, path, item);
    const unused = declaredNames(document, item).filter((name) => !parameters.has(name));
    return [...new Set(unused)].map(
      (name): Problem => ({
        severity: 'warning',
        code: 'path-parameter',
        message: `The path parameter ${name} of ${path} is not in this path, so that it is ignored. Add {${name}} to the path, or remove the parameter.`,
      }),
    );
  });
}

/** Returns a document with reserved expansion in its paths, as clients need it: `/files/{+path}`. */
export function withReservedExpansion(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, item]): [string, PathItem] => {
    const reserved = declaredIn(document, item).filter(
      (parameter) => parameter.in === 'path' && parameter['x-allow-reserved'] === true,
    );
    return [reserved.reduce((text, { name }) => text.replace(`{${name}}`, `{+${name}}`), path), item];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

function templateOf(document: OpenApiDocument, path: string, item: PathItem): Template {
  const declared = new Set(declaredNames(document, item));
  const parameters = new Map<string, boolean>();
  const plain = path.replaceAll(/\{([^{}/]+)\}/g, (_, expression: string) => {
    const trailing = expression.slice(0, -1);
    const isLiteral = declared.has(expression);
    const isTrailing = !isLiteral && expression.endsWith('+') && declared.has(trailing);
    const isReserved = isTrailing || (!isLiteral && /^\+./.test(expression));
    const name = isTrailing ? trailing : isReserved ? expression.slice(1) : expression;
    parameters.set(name, isReserved);
    return `{${name}}`;
  });
  return { plain, parameters };
}

/** Parameters of a path and its operations. */
function declaredIn(document: OpenApiDocument, item: PathItem): Parameter[] {
  const own = METHODS.flatMap((method) => item[method]?.parameters ?? []);
  return [...(item.parameters ?? []), ...own].map((declared) => dereference<Parameter>(document, declared));
}

const declaredNames = (document: OpenApiDocument, item: PathItem): string[] =>
  declaredIn(document, item).flatMap((parameter) => (parameter.in === 'path' ? parameter.name : []));

function normalizeParameters(document: OpenApiDocument, item: PathItem, { parameters }: Template): void {
  const keep = <Declared extends Parameter | Reference>(list: readonly Declared[]) =>
    list.flatMap((declared): (Declared | Parameter)[] => {
      const parameter = dereference<Parameter>(document, declared);
      const isReserved = parameters.get(parameter.name);
      if (parameter.in !== 'path' || isReserved === false) {
        return [declared];
      }
      return isReserved ? [{ ...parameter, 'x-allow-reserved': true }] : [];
    });
  if (item.parameters) {
    item.parameters = keep(item.parameters);
  }
  for (const method of METHODS) {
    const operation = item[method];
    if (!operation) {
      continue;
    }
    const own = keep(operation.parameters ?? []);
    const declared = [...(item.parameters ?? []), ...own].map((one) => dereference<Parameter>(document, one));
    const undeclared = [...parameters].filter(
      ([name]) => !declared.some((parameter) => parameter.in === 'path' && parameter.name === name),
    );
    own.push(
      ...undeclared.map(([name, isReserved]) => ({
        ...{ name, in: 'path', required: true, schema: { type: 'string' } },
        ...(isReserved && { 'x-allow-reserved': true }),
      })),
    );
    if (operation.parameters || own.length > 0) {
      operation.parameters = own;
    }
  }
}
