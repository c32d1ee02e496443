import type { RequestHandler } from 'express';
import {
  completeOperation,
  type OpenApiDocument,
  type OperationObject,
  operationsOf,
  type PathItem,
} from '../../document.ts';
import { messageOf } from '../../errors.ts';
import { withoutImpossibleBodies } from '../../response/bodiless.ts';
import { type ServedOperation, type Serving, serveOperation } from '../../served-operation.ts';
import type { Validation } from '../../validation/validation.ts';
import { type Authentication, createAuthentication } from '../security.ts';
import { operationKey, refusalReasons, securityProblems } from '../values/unsupported-places.ts';
import { operationTemplate } from './operation-template.ts';
import { type PathTemplate, parseTemplate } from './path-template.ts';
import { Routes } from './routes.ts';

/** An operation that is not served as declared: by an Express handler, or else with a 501. */
export interface RefusedOperation {
  id: string;
  /** Names of the path parameters, in their order. */
  pathNames: readonly string[];
  /** Why it is refused. */
  refused: string;
  express: ExpressOperation | undefined;
}

/** An operation that an Express handler serves. */
interface ExpressOperation {
  handler: RequestHandler;
  authentication: Authentication;
}

/** The operations of a path by method. They are prepared with their first requests. */
export type Methods = Map<string, () => ServedOperation | RefusedOperation>;

/** @throws Error with all missing handlers and hooks, and each operation that differs in the table */
export function createRoutes(serving: Serving): {
  routes: Routes<Methods>;
  validations: (() => Validation)[];
} {
  const { document, only, handlers, operations } = serving;
  const reasons = serving.trustTable ? undefined : refusalReasons(document);
  const routes = new Routes<Methods>();
  const validations: (() => Validation)[] = [];
  const problems: string[] = [];
  const unused = new Set([...(only ?? []), ...Object.keys(serving.express)]);
  /** Paths that are not supported: paths that are take precedence. */
  const others: { template: PathTemplate; method: string; operation: RefusedOperation }[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, declared] of operationsOf(item)) {
      const id = declared.operationId;
      if (only && !only.has(id)) {
        continue;
      }
      unused.delete(id);
      const refused =
        reasons?.get(operationKey({ method, path })) ??
        (handlers[id] && reasons ? undefined : operations[id]?.unsupported);
      try {
        if (refused === undefined) {
          if (serving.express[id]) {
            throw new Error(
              'The option express has a handler of it, but it is served as declared: add it to handlers.',
            );
          }
          const template = operationTemplate(document, path, item);
          const complete = () => withoutImpossibleBodies(method, completeOperation(document, item, declared));
          const served = serveOperation(serving, method, declared, complete, template.names);
          validations.push(() => served().validation);
          routes.add(template, () => new Map()).set(method.toUpperCase(), served);
        } else {
          const template = templateOf(document, path, item) ?? substituteTemplate(path);
          const operation = {
            id,
            pathNames: template.names,
            refused,
            express: expressOperation(serving, declared),
          };
          others.push({ template, method: method.toUpperCase(), operation });
        }
      } catch (error) {
        const reason = messageOf(error);
        problems.push(`${method.toUpperCase()} ${path} (${id}): ${reason}`);
      }
    }
  }
  for (const { template, method, operation } of others) {
    const methods = routes.add(template, () => new Map());
    if (!methods.has(method)) {
      methods.set(method, () => operation);
    }
  }
  problems.push(
    ...[...unused].map((id) => `The options name the operation ${id}, which the contract does not have.`),
  );
  if (problems.length > 0) {
    throw new Error(`The contract cannot be served:\n- ${problems.join('\n- ')}`);
  }
  return { routes, validations };
}

/**
 * Prepares an operation that an Express handler serves. Its callers are authenticated, unless the router does not support
 * its security schemes.
 */
function expressOperation(
  { document, security, express }: Serving,
  declared: OperationObject,
): ExpressOperation | undefined {
  const handler = express[declared.operationId];
  if (!handler) {
    return undefined;
  }
  const operation = { ...declared, security: declared.security ?? document.security ?? [] };
  const isSupported = securityProblems(document, operation).length === 0;
  const authentication = createAuthentication(
    document,
    isSupported ? operation : { ...operation, security: [] },
    security,
  );
  return { handler, authentication };
}

function templateOf(document: OpenApiDocument, path: string, item: PathItem): PathTemplate | undefined {
  try {
    return operationTemplate(document, path, item);
  } catch {
    return undefined;
  }
}

/** Returns a template for an unsupported path, with one parameter for each segment that contains a brace. */
function substituteTemplate(path: string): PathTemplate {
  const segments = path
    .replace(/[?#].*$/s, '')
    .split('/')
    .map((segment, index) => (/[{}]/.test(segment) ? `{${index}}` : segment));
  return { ...parseTemplate(`/${segments.join('/').replace(/^\/+/, '')}`), names: [] };
}
