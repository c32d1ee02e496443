import { Worker } from 'node:worker_threads';
import { isObject, type JsonObject } from './json.ts';
import { type YamlAnswer, yamlToJson } from './yaml.ts';

/** A text that is no OpenAPI document; the message says why. */
export class SpecificationError extends Error {
  override readonly name = 'SpecificationError';
}

/** The deepest nesting of a document: beyond it nobody describes an API, and printing would run out of stack. */
export const MAX_SPECIFICATION_DEPTH = 200;

/** The longest YAML, in UTF-16 units, that is read at once: it takes less than starting a thread does. */
const SHORT = 16_000;

/** How long YAML may take, in milliseconds: about as long as 16 MB of it do. */
export const SPECIFICATION_PARSE_TIMEOUT_MS = 120_000;
/** In MB. */
const MEMORY = 1024;

/**
 * The OpenAPI 3 or Swagger 2 document that a JSON or YAML text holds. Long YAML is read in a thread of its
 * own, so that the megabytes of it that some specifications have keep nobody waiting.
 *
 * @throws SpecificationError for anything else, and for what takes too long or too much memory to be read
 */
export async function parseSpecification(text: string, signal?: AbortSignal): Promise<JsonObject> {
  const source = text.replace(/^\uFEFF/, '');
  const document = parseJson(source) ?? parseJson(await readYaml(source, signal));
  if (!isObject(document)) throw new SpecificationError('The text holds no map of keys and values.');
  if (!isSpecification(document))
    throw new SpecificationError(
      'The document does not say that it is OpenAPI: it needs "openapi: 3.x" or "swagger: 2.0" at its top.',
    );
  if (isDeeperThan(document, MAX_SPECIFICATION_DEPTH))
    throw new SpecificationError(`The document is nested more than ${MAX_SPECIFICATION_DEPTH} levels deep.`);
  return document;
}

/** Whether a text that was read is JSON rather than YAML. */
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

/** Goes level by level: a document that is nested without end would take the stack of anything recursive. */
function isDeeperThan(document: JsonObject, limit: number): boolean {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}

/** @throws SpecificationError */
async function readYaml(text: string, signal: AbortSignal | undefined): Promise<string> {
  const answer = text.length <= SHORT ? yamlToJson(text) : await readInThread(text, signal);
  if ('error' in answer) throw new SpecificationError(`The YAML cannot be read: ${answer.error}`);
  return answer.json;
}

async function readInThread(text: string, signal: AbortSignal | undefined): Promise<YamlAnswer> {
  const deadline = AbortSignal.timeout(SPECIFICATION_PARSE_TIMEOUT_MS);
  const stop = signal ? AbortSignal.any([deadline, signal]) : deadline;
  const worker = new Worker(new URL('./yaml-thread.ts', import.meta.url), {
    workerData: text,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY },
  });
  try {
    return await new Promise<YamlAnswer>((done, fail) => {
      worker.once('message', done);
      worker.once('error', () => fail(new SpecificationError('The YAML takes too much memory to be read.')));
      stop.addEventListener('abort', () =>
        fail(signal?.aborted ? signal.reason : new SpecificationError('The YAML takes too long to be read.')),
      );
    });
  } finally {
    await worker.terminate();
  }
}
