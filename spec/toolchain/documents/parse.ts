import { parseDocument } from 'yaml';
import type { Json } from '../document.ts';
import { UsageError } from '../usage-error.ts';
import { readCommonYaml } from './common-yaml.ts';
import { scanJson } from './json-text.ts';
import { placeAt } from './places.ts';

/** Largest size of all files of a contract. */
export const MAX_CONTRACT_BYTES = 256 * 1024 * 1024;
/** Deepest nesting of objects and lists in a file. */
const MAX_NESTING_DEPTH = 500;
/** Maximum number of values in a file. Each alias counts with what it refers to. */
const MAX_VALUES = 20_000_000;
/** Most uses of a YAML alias, multiplied by the aliases that it contains. */
const MAX_ALIASES = 10_000;

/**
 * Parses JSON or YAML 1.2 with merge keys (`<<`). Dates, `yes` and `no` are text.
 * @throws {UsageError} with the line and column of the first error, such as a member that occurs twice
 */
export function parseData(name: string, source: string): Json {
  const text = withoutByteOrderMark(source);
  const data = parseJson(name, text) ?? readCommonYaml(text) ?? parseYaml(name, text);
  const excess = excessOf(data);
  if (excess !== undefined) {
    throw new UsageError(`${name} ${excess}. Simplify the document.`);
  }
  return data;
}

/** Removes the mark that some editors write before a text in UTF-8, which is not JSON. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** JSON is also YAML, but the JSON parser is much faster. Returns undefined for other texts. */
function parseJson(name: string, text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text)) {
    return undefined;
  }
  let data: Json;
  try {
    data = JSON.parse(text);
  } catch {
    // It may be YAML in flow style; the YAML parser also reports the location of an error.
    return undefined;
  }
  const { duplicate } = scanJson(text);
  if (duplicate) {
    const { line, column } = placeAt(text, duplicate.offset);
    throw new UsageError(
      `${name} contains ${JSON.stringify(duplicate.name)} twice in one object, at line ${line}, column ${column}. Remove or rename one of the two.`,
    );
  }
  return data;
}

function parseYaml(name: string, text: string): Json {
  try {
    const document = parseDocument(text, { merge: true });
    const [error] = document.errors;
    if (error) {
      throw error;
    }
    // YAML has types beyond JSON, such as dates, only in schemas that are not enabled here.
    return document.toJS({ maxAliasCount: MAX_ALIASES }) as Json;
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim().replace(/:?\n[\s\S]*$/, '') : String(error);
    throw new UsageError(`${name} is neither JSON nor YAML: ${reason}. Fix the text at this location.`);
  }
}

/** Returns why a document is too large for the steps that follow, which are recursive, if so. */
function excessOf(data: Json): string | undefined {
  const pending: { value: Json; depth: number }[] = [{ value: data, depth: 0 }];
  let values = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, depth } = next;
    values += 1;
    if (values > MAX_VALUES) {
      return `contains more than ${MAX_VALUES} values`;
    }
    if (typeof value === 'object' && value !== null) {
      if (depth > MAX_NESTING_DEPTH) {
        return `nests more than ${MAX_NESTING_DEPTH} levels deep`;
      }
      for (const member of Object.values(value)) {
        pending.push({ value: member, depth: depth + 1 });
      }
    }
  }
  return undefined;
}
