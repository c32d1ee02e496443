import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { type OpenApiDocument, operationEntries } from '../document.ts';
import { generatedPaths, type Project, pathIn } from '../project.ts';
import { projectModules } from './module-graph.ts';

/** Finds the file that the handler of an operation belongs in, relative to the root. */
export type FindHandlerFile = (operationId: string) => string | undefined;

/**
 * Prepares to find the file of a missing handler: the file with the handlers of the most similar operations. These have
 * the same tag, or without tags, paths that start with more segments in common than all paths do. The most similar ones
 * have the most segments in common, then the fewest others. A new tag has no such file.
 * @param entries files to search with everything that they import, relative to the root
 */
export async function createHandlerFinder(
  project: Project,
  entries: readonly string[],
): Promise<FindHandlerFile> {
  const operations = operationEntries(await readDocument(project)).flatMap(({ path, operation }) =>
    operation.operationId === undefined
      ? []
      : [{ id: operation.operationId, tag: operation.tags?.[0], segments: path.split('/').slice(1) }],
  );
  const files = await definitions(project, entries, new Set(operations.map(({ id }) => id)));
  const common = Math.min(
    ...operations.map(({ segments }) => commonLength(segments, operations[0]?.segments)),
  );

  return (operationId) => {
    const missing = operations.find(({ id }) => id === operationId);
    const candidates = operations.flatMap(({ id, tag, segments }) => {
      const file = files.get(id);
      if (file === undefined || missing === undefined || id === operationId) {
        return [];
      }
      const length = commonLength(segments, missing.segments);
      const others = segments.length + missing.segments.length - 2 * length;
      const isSimilar = tag === missing.tag && (tag !== undefined || length > common);
      return isSimilar ? [{ file, rank: length * 1000 - others }] : [];
    });
    const best = Math.max(...candidates.map(({ rank }) => rank));
    return mostFrequent(candidates.filter(({ rank }) => rank === best).map(({ file }) => file));
  };
}

/** Message about an operation without a handler, which `check` and `dev` share. */
export function missingHandlerMessage(operationId: string, file: string): string {
  return `${operationId} has no handler: add it to ${file}`;
}

/** Ids of the operations in the generated document; empty if it does not exist. */
export async function readOperationIds(project: Project): Promise<Set<string>> {
  const entries = operationEntries(await readDocument(project));
  return new Set(entries.flatMap(({ operation }) => operation.operationId ?? []));
}

async function readDocument(project: Project): Promise<OpenApiDocument> {
  const path = pathIn(project, generatedPaths(project).document);
  if (!existsSync(path)) {
    return { openapi: '3.1.0', info: {}, paths: {} };
  }
  // The generator wrote it.
  return JSON.parse(await readFile(path, 'utf8')) as OpenApiDocument;
}

/** Finds the file that defines each handler, by operation id: a member of an object, or else a declaration. */
async function definitions(
  project: Project,
  entries: readonly string[],
  ids: ReadonlySet<string>,
): Promise<Map<string, string>> {
  const members = new Map<string, string>();
  const declarations = new Map<string, string>();
  for await (const { file, text } of projectModules(project, entries)) {
    const path = relative(project.root, file).split(sep).join('/');
    for (const id of membersOf(text)) {
      if (ids.has(id) && !members.has(id)) {
        members.set(id, path);
      }
    }
    for (const id of declarationsOf(text)) {
      if (ids.has(id) && !declarations.has(id)) {
        declarations.set(id, path);
      }
    }
  }
  return new Map([...declarations, ...members]);
}

/** Names of the methods and functions in object literals. */
function* membersOf(text: string): Generator<string> {
  const member = /(?:[{,]|\*\/)\s*(?:\/\/[^\n]*\n\s*)*(?:async\s+)?([A-Za-z_$][\w$]*)\s*(\(|:)/g;
  for (let match = member.exec(text); match; match = member.exec(text)) {
    const [, name = '', token] = match;
    const rest = text.slice(member.lastIndex, member.lastIndex + 400);
    const isFunction =
      token === ':'
        ? /^\s*(async\b|function\b|\(|[\w$.]+\s*\()/.test(rest)
        : /^\s*[{:]/.test(afterParentheses(rest));
    // Members can be nested, and a comma can end one and start the next.
    member.lastIndex -= 1;
    if (isFunction) {
      yield name;
    }
  }
}

/** Text after the parenthesis that closes the one before the text. */
function afterParentheses(text: string): string {
  let depth = 1;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '(') {
      depth += 1;
    }
    if (text[index] === ')') {
      depth -= 1;
    }
    if (depth === 0) {
      return text.slice(index + 1);
    }
  }
  return '';
}

/** Names of the functions and constants that a module declares at its top level. */
function* declarationsOf(text: string): Generator<string> {
  const declaration = /^(?:export\s+)?(?:async\s+)?(?:function|const)\s+([A-Za-z_$][\w$]*)/gm;
  for (const [, name = ''] of text.matchAll(declaration)) {
    yield name;
  }
}

function commonLength(one: readonly string[], other: readonly string[] = []): number {
  const end = one.findIndex((segment, index) => segment !== other[index]);
  return end === -1 ? one.length : end;
}

function mostFrequent(values: readonly string[]): string | undefined {
  const groups = [...Map.groupBy(values, (value) => value).values()];
  return groups.sort((one, other) => other.length - one.length)[0]?.[0];
}
