import { dereference, isObject, type Json, type OpenApiDocument, operationsOf } from '../document.ts';
import { literal, propertyKey } from '../generate/operation-table.ts';
import type { Group, HandledOperation } from './groups.ts';

/** Generates `server/handlers.ts`, which combines the handlers of all groups. */
export function handlersSource(groups: readonly Group[]): string {
  const imports = groups.map(
    ({ constant, file }) => `import { ${constant} } from './handlers/${file}.ts';\n`,
  );
  return `import type { AllHandlers } from './contract.ts';
${imports.sort().join('')}
/** Handlers of all operations, by operation id. */
export const handlers: AllHandlers = {${groups.map(({ constant }) => `\n  ...${constant},`).join('')}
};
`;
}

/** Generates the module of a group: a handler for each operation, which responds with 501. */
export function groupSource({ name, constant, operations }: Group): string {
  const kind = operations.some(({ operation }) => operation.tags?.[0] === name)
    ? 'with the tag'
    : 'of the interface';
  const described = name === null ? 'without a tag' : `${kind} ${JSON.stringify(name)}`;
  return `import { notImplemented } from '@colophon/toolkit/server';
import type { HandlersOf } from '../contract.ts';

/** Handlers of the operations ${commentText(described)}. */
export const ${constant}: HandlersOf<${literal(name)}> = {
${operations.map(stubSource).join('\n')}};
`;
}

function stubSource({ id, method, path, operation }: HandledOperation): string {
  const line = `${method.toUpperCase()} ${path}`;
  const summary = commentText(operation.summary ?? '').replace(/\.$/, '');
  return `  /** ${summary === '' ? commentText(line) : `${summary}: ${commentText(line)}`} */
  ${propertyKey(id)}: async () => {
    throw notImplemented(${literal(id)});
  },
`;
}

/** Text on one line that does not end a comment. */
function commentText(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('*/', '*\\/');
}

/** Kind of a hook: see `SecurityHook` of the server. */
type HookKind = 'bearer' | 'basic' | 'apiKey' | 'http';

/** Generates `server/security.ts`: a hook for each security scheme that an operation requires. */
export function securitySource(document: OpenApiDocument): string {
  const names = requiredSchemes(document);
  if (names.length === 0) {
    return `import type { SecurityHooks } from '@colophon/toolkit/server';

/** What the hooks return, by security scheme. The contract requires none. */
export type Principals = Record<never, never>;

export const security: SecurityHooks<Principals> = {};
`;
  }
  const hooks = names.map((name) => {
    const key = propertyKey(name);
    return `  ${key}: {
    ${hookKind(document, name)}: async () => {
      throw notImplementedScheme(${literal(name)});
    },
  },
`;
  });
  return `import { ContractError, type SecurityHooks } from '@colophon/toolkit/server';

/** An authenticated caller. */
export interface Caller {
  id: string;
}

/** What the hooks return, by security scheme. Handlers receive it as \`principals\`. */
export interface Principals {
${names.map((name) => `  ${propertyKey(name)}: Caller;\n`).join('')}}

/**
 * Verify the credentials of requests: \`bearer: async (token) => …\`, \`apiKey: async (key) => …\`,
 * \`basic: async ({ username, password }) => …\`, \`http: async (credentials) => …\`. Return the caller, or throw \`unauthenticated('…')\` (401).
 */
export const security: SecurityHooks<Principals> = {
${hooks.join('')}};

const notImplementedScheme = (name: string) =>
  new ContractError(501, 'not_implemented', \`The security scheme \${name} is not implemented yet.\`);
`;
}

function requiredSchemes(document: OpenApiDocument): string[] {
  const requirements = operationsOf(document).flatMap(({ security }) => security ?? document.security ?? []);
  return [...new Set(requirements.flatMap((requirement) => Object.keys(requirement)))].sort();
}

function hookKind(document: OpenApiDocument, name: string): HookKind {
  const declared = document.components?.securitySchemes?.[name];
  const scheme: Json | undefined = declared && dereference(document, declared);
  const { type, scheme: method } = isObject(scheme) ? scheme : {};
  if (type === 'apiKey') {
    return 'apiKey';
  }
  const kind = String(method).toLowerCase();
  return type !== 'http' || kind === 'bearer' ? 'bearer' : kind === 'basic' ? 'basic' : 'http';
}
