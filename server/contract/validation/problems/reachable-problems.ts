import { type OpenApiDocument, type OperationObject, tryResolve } from '../../document.ts';
import { type Kind, visitPart } from '../grammar.ts';
import { memberRefs } from '../hierarchies.ts';
import { type SchemaProblem, unsupportedSchemas } from './unsupported.ts';

/**
 * Creates a function that returns the problems of the schemas and other objects in an operation, in the parameters of its
 * path, and in what they refer to, directly or not. Each target of a reference is searched once.
 */
export function reachableProblems(
  document: OpenApiDocument,
): (operation: OperationObject, parameters?: readonly unknown[]) => SchemaProblem[] {
  const problems = unsupportedSchemas(document);
  if (problems.size === 0) {
    return () => [];
  }
  const targets = new Map<string, Found>();
  const foundIn = ({ ref, kind }: Target): Found => {
    const found = targets.get(ref) ?? search(tryResolve(document, ref), kind, problems);
    targets.set(ref, found);
    return found;
  };
  return (operation, parameters = []) => {
    const own = [
      search(operation, 'operation', problems),
      ...parameters.map((parameter) => search(parameter, 'parameter', problems)),
    ];
    const found = new Set(own.flatMap((part) => part.problems));
    // Grows while it is iterated.
    const reached = new Map(own.flatMap(({ refs }) => refs.map((target) => [target.ref, target] as const)));
    for (const target of reached.values()) {
      const { problems: inner, refs } = foundIn(target);
      for (const problem of inner) {
        found.add(problem);
      }
      for (const next of [...refs, ...membersOf(document, target)]) {
        if (!reached.has(next.ref)) {
          reached.set(next.ref, next);
        }
      }
    }
    return [...found];
  };
}

/** A reference, and the kind of what it refers to. */
interface Target {
  ref: string;
  kind: Kind;
}

/** The problems in a value, and what it refers to. */
interface Found {
  problems: SchemaProblem[];
  refs: Target[];
}

/** Returns the schemas that values of a referenced schema can have by inheritance. */
const membersOf = (document: OpenApiDocument, { ref, kind }: Target): Target[] =>
  kind === 'schema' ? memberRefs(document, ref).map((member) => ({ ref: member, kind })) : [];

function search(value: unknown, kind: Kind, problems: ReadonlyMap<object, SchemaProblem[]>): Found {
  const found: Found = { problems: [], refs: [] };
  visitPart(value, kind, { key: '' }, ({ object, kind: part }) => {
    found.problems.push(...(problems.get(object) ?? []));
    if (typeof object.$ref === 'string') {
      found.refs.push({ ref: object.$ref, kind: part });
    }
  });
  return found;
}
