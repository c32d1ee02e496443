import type { Program, Type } from '@typespec/compiler';
import { $lib } from '@typespec/http';

/** Options of a parameter, as the library of HTTP keeps them. */
interface ParameterOptions {
  name: string;
}

/** Kinds of parameters. */
const KINDS = ['query', 'header', 'cookie', 'path'] as const;

/** Names that every object inherits: the emitter fails for a parameter with such a name. */
const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Prefix of the names that the emitter receives instead. */
const PREFIX = 'inheritedname_';

/**
 * Calls the emitter with other names for the parameters of a program that have the name of a property of all objects,
 * such as `constructor`: it looks up their examples in a plain object, and finds what the object inherits.
 *
 * @returns the result of the emitter. {@link restoreNames} restores its documents
 */
export async function withoutInheritedNames<Result>(
  program: Program,
  emit: () => Promise<Result>,
): Promise<{ result: Result; renamed: readonly string[] }> {
  const restore: (() => void)[] = [];
  const renamed = new Set<string>();
  for (const kind of KINDS) {
    // The library exports these states, but no function that changes the name of a parameter.
    const parameters = program.stateMap($lib.stateKeys[kind]) as Map<Type, ParameterOptions>;
    for (const [parameter, options] of parameters) {
      if (INHERITED.has(options.name)) {
        parameters.set(parameter, { ...options, name: PREFIX + options.name });
        restore.push(() => parameters.set(parameter, options));
        renamed.add(options.name);
      }
    }
  }
  const routes = program.stateMap($lib.stateKeys.routes) as Map<Type, string>;
  for (const [operation, route] of renamed.size > 0 ? routes : []) {
    const replaced = route.replace(/\{[^{}]*\}/g, (expression) =>
      expression.replace(/[\w$]+/g, (name) => (renamed.has(name) ? PREFIX + name : name)),
    );
    routes.set(operation, replaced);
    restore.push(() => routes.set(operation, route));
  }
  try {
    return { result: await emit(), renamed: [...renamed] };
  } finally {
    for (const undo of restore) {
      undo();
    }
  }
}

/** Returns a copy of a document with the names of its parameters in the contract. */
export function restoreNames<Document>(document: Document, renamed: readonly string[]): Document {
  // The prefix occurs only in these names.
  return renamed.length === 0 ? document : JSON.parse(JSON.stringify(document).replaceAll(PREFIX, ''));
}
