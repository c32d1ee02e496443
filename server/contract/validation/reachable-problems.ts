import { type OpenApiDocument, tryResolve } from '../document.ts';
import { type SchemaProblem, unsupportedSchemas } from '../unsupported.ts';
import { membersOf } from './document-members.ts';
import { memberRefs } from './hierarchies.ts';

/**
 * Creates a function that returns the problems of the schemas and other objects in a value, and in what it refers to,
 * directly or not. Each target of a reference is searched once.
 */
export function reachableProblems(document: OpenApiDocument): (value: unknown) => SchemaProblem[] {
  const problems = unsupportedSchemas(document);
  if (problems.size === 0) {
    return () => [];
  }
  const targets = new Map<string, Found>();
  const foundIn = (ref: string): Found => {
    const found = targets.get(ref) ?? search(tryResolve(document, ref), problems);
    targets.set(ref, found);
    return found;
  };
  return (value) => {
    const own = search(value, problems);
    const found = new Set(own.problems);
    // Grows while it is iterated.
    const refs = new Set(own.refs);
    for (const ref of refs) {
      const target = foundIn(ref);
      for (const problem of target.problems) {
        found.add(problem);
      }
      for (const next of [...target.refs, ...memberRefs(document, ref)]) {
        refs.add(next);
      }
    }
    return [...found];
  };
}

/** The problems in a value, and what it refers to. */
interface Found {
  problems: SchemaProblem[];
  refs: string[];
}

function search(value: unknown, problems: ReadonlyMap<object, SchemaProblem[]>): Found {
  const found: Found = { problems: [], refs: [] };
  const visited = new Set<unknown>();
  const visit = (part: unknown, isNamed = false): void => {
    if (typeof part !== 'object' || part === null || visited.has(part)) {
      return;
    }
    visited.add(part);
    found.problems.push(...(problems.get(part) ?? []));
    if (!isNamed && '$ref' in part && typeof part.$ref === 'string') {
      found.refs.push(part.$ref);
    }
    for (const member of membersOf(part, isNamed)) {
      visit(member.value, member.isNamed);
    }
  };
  visit(value);
  return found;
}
