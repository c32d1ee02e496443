import { existsSync } from 'node:fs';
import { isObject, METHODS, type OpenApiDocument } from '../document.ts';
import { isTypeSpec, type Project, pathIn, releasedFiles } from '../project.ts';
import { count } from '../report/text.ts';
import { readSource } from '../source.ts';
import { declaredErrors } from './document-facts.ts';
import type { Leftovers } from './leftovers.ts';

/** Maximum number of operations that a note lists. */
const MAX_LISTED = 5;

/** Returns what the author of a contract should know about its project. */
export async function notesOn(source: Project, document: OpenApiDocument): Promise<string[]> {
  const named = isTypeSpec(source) ? [] : await derivedIds(source, document);
  const notes: string[] = [];
  if (named.length > 0) {
    notes.push(
      `${named.length} ${named.length === 1 ? 'operation has' : 'operations have'} no operationId. Handlers use a name that follows from the method and path, and changes with them. To keep it, add it to the contract:\n${listed(named)}`,
    );
  }
  if (declaredErrors(document) === 'other-errors') {
    notes.push(
      'The error responses of the contract have a format of their own. Adapt server/error-format.ts to it.',
    );
  }
  return notes;
}

/** Returns what remains of the previous contract, and why. @param changed files that the user changed */
export function leftNotes(changed: readonly string[], leftovers: Leftovers): string[] {
  const reasons: [string, readonly string[]][] = [
    [
      'These files differ from those that init wrote, so they were not replaced. With --force, they are:',
      changed,
    ],
    [
      'These files belong to the previous contract. They remain, because you changed them. Move what you need, and remove them:',
      leftovers.changed,
    ],
    [
      'These files belong to the previous contract. They remain, because files that you changed import them:',
      leftovers.imported,
    ],
  ];
  return reasons.flatMap(([reason, paths]) =>
    paths.length === 0 ? [] : [`${reason}\n${paths.map((path) => `  ${path}`).join('\n')}`],
  );
}

/** Reports the warnings of an imported contract that are approved, so that `check` is green for it. */
export function approvalNotes(project: Project, warnings: number): string[] {
  return warnings === 0
    ? []
    : [
        `The contract has ${count(warnings, 'warning')}, which ${releasedFiles(project).approvals} approves so that check is green and reports only new ones. Review them there.`,
      ];
}

/** Reports a release of another contract. No change of this contract is compatible with it. */
export async function releaseNotes(project: Project, document: OpenApiDocument): Promise<string[]> {
  const { contract } = releasedFiles(project);
  if (!existsSync(pathIn(project, contract))) {
    return [];
  }
  const { root } = await readSource(contract, project.root);
  const released = Object.keys(isObject(root.paths) ? root.paths : {});
  return released.some((path) => path in document.paths)
    ? []
    : [`${contract} is the release of another contract. Remove it, or check reports each of its operations.`];
}

function listed(named: readonly string[]): string {
  const lines = named.slice(0, MAX_LISTED).map((line) => `  ${line}`);
  const rest = named.length - lines.length;
  return [...lines, ...(rest > 0 ? [`  and ${rest} more: see server/handlers`] : [])].join('\n');
}

/** Returns the operations of a contract without an id of their own, each with the id that it got. */
async function derivedIds(source: Project, document: OpenApiDocument): Promise<string[]> {
  const { root } = await readSource(source.contract, source.root);
  const declared = isObject(root.paths) ? root.paths : {};
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const before = isObject(declared[path]) ? declared[path] : {};
    return METHODS.flatMap((method) => {
      const operation = before[method];
      const id = item[method]?.operationId;
      return id === undefined || !isObject(operation) || operation.operationId !== undefined
        ? []
        : [`${method.toUpperCase()} ${path}  operationId: ${id}`];
    });
  });
}
