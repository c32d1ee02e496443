import { isObject } from '../../contract/json-values.ts';
import type { TaskLimits } from '../../threads/thread.ts';
import { createThreads, TaskLimitError } from '../../threads/threads.ts';
import type { JsonObject } from './json.ts';
import { type YamlResult, yamlToJson } from './yaml.ts';

/** An error for a text that is not an OpenAPI document. The message states why. */
export class SpecificationError extends Error {
  override readonly name = 'SpecificationError';
}

/** Maximum nesting depth of an OpenAPI document. No real document is deeper, and printing would exhaust the stack. */
export const MAX_SPECIFICATION_DEPTH = 200;

/**
 * Maximum length of YAML that is read without a thread, in UTF-16 units: reading it takes less time than starting a
 * thread.
 */
const MAX_UNTHREADED_CHARACTERS = 16_000;

/** Limits of reading an OpenAPI document in YAML; the time is about that of 16 MB. */
export const SPECIFICATION_PARSE_LIMITS: TaskLimits = {
  processorMs: 120_000,
  timeMs: 120_000,
  memoryBytes: 1024 * 1024 * 1024,
};

/**
 * Parses an OpenAPI 3 or Swagger 2 document in JSON or YAML. Long YAML, up to megabytes in some specifications, is
 * read in a thread of its own so that nothing else has to wait.
 *
 * @throws SpecificationError for any other text, and if reading takes too much time or memory; ThreadsBusyError; the
 *   reason of the signal
 */
export async function parseSpecification(text: string, signal?: AbortSignal): Promise<JsonObject> {
  const source = text.replace(/^\uFEFF/, '');
  const document = parseJson(source) ?? parseJson(await readYaml(source, signal));
  if (!isObject(document)) {
    throw new SpecificationError('The document must be a map of keys and values.');
  }
  if (!isSpecification(document)) {
    throw new SpecificationError(
      'The document must be OpenAPI: set "openapi: 3.x" or "swagger: 2.0" at the top level.',
    );
  }
  if (isDeeperThan(document, MAX_SPECIFICATION_DEPTH)) {
    throw new SpecificationError(`The document exceeds a nesting depth of ${MAX_SPECIFICATION_DEPTH}.`);
  }
  return document;
}

/** Returns whether a text that was parsed is JSON rather than YAML. */
export const isJson = (text: string): boolean => parseJson(text.replace(/^\uFEFF/, '')) !== undefined;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSpecification({ openapi, swagger }: JsonObject): boolean {
  const version = (value: unknown) => (typeof value === 'number' ? value.toFixed(1) : value);
  const [three, two] = [version(openapi), version(swagger)];
  return (typeof three === 'string' && /^3\.\d/.test(three)) || two === '2.0';
}

/** Iterative, because an endlessly nested document would exhaust the stack of a recursive function. */
function isDeeperThan(document: JsonObject, limit: number): boolean {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) {
      return true;
    }
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}

/** @throws SpecificationError */
async function readYaml(text: string, signal: AbortSignal | undefined): Promise<string> {
  const result =
    text.length <= MAX_UNTHREADED_CHARACTERS ? yamlToJson(text) : await readInThread(text, signal);
  if ('error' in result) {
    throw new SpecificationError(`The YAML is invalid: ${result.error}`);
  }
  return result.json;
}

async function readInThread(text: string, signal: AbortSignal | undefined): Promise<YamlResult> {
  const threads = createThreads<{ yamlToJson: typeof yamlToJson }>({
    entry: new URL('./yaml-thread.ts', import.meta.url),
  });
  try {
    return await threads.run('yamlToJson', text, {
      owner: '',
      bytes: text.length,
      signal,
      limits: SPECIFICATION_PARSE_LIMITS,
    });
  } catch (error) {
    if (error instanceof TaskLimitError) {
      throw new SpecificationError(
        `Parsing the YAML exceeded the ${error.limit} limit. Simplify the document.`,
      );
    }
    throw error;
  } finally {
    await threads.close();
  }
}
