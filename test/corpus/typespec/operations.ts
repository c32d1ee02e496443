import {
  dereference,
  isObject,
  METHODS,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Response,
} from '../../../spec/toolchain/document.ts';
import { escapePattern } from '../../support/patterns.ts';
import type { RawRequest } from './raw-request.ts';

/** An operation with its references resolved, and the texts of its path in a request. */
export interface MatchedOperation {
  id: string;
  method: string;
  path: string;
  operation: Operation;
  parameters: Parameter[];
  /** Encoded texts of the path parameters by name. */
  texts: Record<string, string>;
}

/**
 * Returns the path of a server without its origin, with the values of its variables: their default, or else the
 * version of the document.
 */
export function basePath(document: OpenApiDocument, version: string): string {
  const { servers } = document as { servers?: { url: string; variables?: Record<string, Variable> }[] };
  const [server] = servers ?? [];
  const url = (server?.url ?? '').replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
    const { default: value, enum: values } = server?.variables?.[name] ?? {};
    return value || (name === 'endpoint' ? '' : values?.includes(version) ? version : (values?.at(-1) ?? ''));
  });
  return url.replace(/^https?:\/\/[^/]+/, '').replace(/\/+$/, '');
}

interface Variable {
  default?: string;
  enum?: string[];
}

/** Finds the operation of a request: of the paths that match, the one with the most static text. */
export function operationOf(
  document: OpenApiDocument,
  { method }: Pick<RawRequest, 'method'>,
  path: string,
): MatchedOperation | undefined {
  const name = METHODS.find((candidate) => candidate.toUpperCase() === method);
  const matches = Object.keys(document.paths).flatMap((template): MatchedOperation[] => {
    const item = document.paths[template];
    const operation = name && item?.[name];
    if (operation === undefined) {
      return [];
    }
    const declared = [...(item?.parameters ?? []), ...(operation.parameters ?? [])];
    const parameters = declared.map((parameter) => dereference<Parameter>(document, parameter));
    const texts = matchPath(template, path, parameters);
    const id = operation.operationId ?? '';
    return texts === undefined ? [] : [{ id, method, path: template, operation, parameters, texts }];
  });
  const statics = (template: string) => template.replaceAll(/\{[^}]*\}/g, '').length;
  return matches.sort((a, b) => statics(b.path) - statics(a.path))[0];
}

function matchPath(
  template: string,
  path: string,
  parameters: readonly Parameter[],
): Record<string, string> | undefined {
  const names: string[] = [];
  const pattern = template.replaceAll(/\{([^}]+)\}|[^{]+/g, (text, name?: string) => {
    if (name === undefined) {
      return escapePattern(text);
    }
    names.push(name);
    const parameter = parameters.find((candidate) => candidate.name === name);
    return parameter?.['x-allow-reserved'] === true ? '(.+)' : '([^/]+)';
  });
  const match = new RegExp(`^${pattern}$`).exec(path);
  return match ? Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? ''])) : undefined;
}

/** Returns the declared response with a status. */
export function responseFor(
  document: OpenApiDocument,
  { responses = {} }: Operation,
  status: number,
): { key: string; response: Response & { headers?: Record<string, unknown> } } | undefined {
  const key = [String(status), `${String(status).charAt(0)}XX`, 'default'].find((candidate) =>
    Object.hasOwn(responses, candidate),
  );
  const declared = key === undefined ? undefined : responses[key];
  return key === undefined || !isObject(declared)
    ? undefined
    : { key, response: dereference<Response>(document, declared as Response) };
}
