import {
  BaseResolver,
  bundleDocument,
  type Document,
  ResolveError,
  Source,
  StyleguideConfig,
} from '@redocly/openapi-core';
import { messageOf } from '../../../server/contract/errors.ts';
import { unescapeFragmentToken, unescapeToken, valueAt } from '../../../server/contract/json-values.ts';
import { isObject, type Json, type JsonObject } from '../document.ts';
import { eachObject } from '../rewrite.ts';
import { UsageError } from '../usage-error.ts';
import { resolveAddresses } from './addresses.ts';
import { adoptNames, aliasesIn } from './aliases.ts';
import type { ContractFiles } from './files.ts';
import type { Dialect } from './grammar.ts';
import type { LocalProblem, Origins } from './origins.ts';
import { MAX_CONTRACT_BYTES, parseData } from './parse.ts';
import { isFileReference } from './references.ts';

/** Most files of a contract. */
const MAX_CONTRACT_FILES = 10_000;

/** Reference of the tool to the entry file, from any file. */
const ENTRY = 'entry:';

/**
 * Moves what a document refers to in other files into its components, under the names that it has there, and updates
 * the references. What cannot be a component, such as a path item, replaces its reference. Other files are read from
 * `files` only, never from the network.
 * @param root parsed entry file, which `origins` contains; changed in place
 * @returns the references that do not resolve
 * @throws {UsageError} if the files cannot be combined at all
 */
export async function bundle(
  root: JsonObject,
  dialect: Dialect,
  files: ContractFiles,
  origins: Origins,
): Promise<LocalProblem[]> {
  const resolver = new FileResolver(root, dialect, files, origins);
  const aliases = aliasesIn(root);
  // The default configuration of the library has neither rules nor plugins.
  const config = new StyleguideConfig({});
  try {
    const document = await resolver.resolveDocument(null, ENTRY);
    const { problems } = await bundleDocument({ document, config, externalRefResolver: resolver });
    unescapeComponentNames(root);
    adoptNames(root, aliases);
    // The library reports a reference each time that it follows it.
    const dangling = new Map<string, LocalProblem>();
    for (const { severity, location } of problems) {
      const [{ source, pointer } = {}] = location;
      if (severity === 'error' && source && pointer !== undefined) {
        dangling.set(`${source.absoluteRef} ${pointer}`, resolver.describe(source.absoluteRef, pointer));
      }
    }
    return [...dangling.values()];
  } catch (error) {
    const reason = messageOf(error);
    throw new UsageError(
      `${files.nameOf(files.entry)} and the files that it refers to cannot be combined: ${reason}. Correct their references.`,
    );
  } finally {
    resolver.restore();
  }
}

/** Reads and parses the files of a contract for the library, which follows their references. */
class FileResolver extends BaseResolver {
  readonly #root: JsonObject;
  readonly #dialect: Dialect;
  readonly #files: ContractFiles;
  readonly #origins: Origins;
  readonly #parsed = new Map<string, Json>();
  readonly #reasons = new Map<string, string>();
  readonly #externalValues: [example: JsonObject, value: Json][] = [];
  #bytes = 0;

  constructor(root: JsonObject, dialect: Dialect, files: ContractFiles, origins: Origins) {
    super();
    this.#dialect = dialect;
    this.#root = root;
    this.#files = files;
    this.#origins = origins;
    this.cache.set(files.entry, Promise.resolve(this.#documentOf(files.entry, root)));
  }

  override resolveExternalRef(base: string | null, reference: string): string {
    const { entry } = this.#files;
    if (reference === ENTRY) {
      return entry;
    }
    return isRemote(reference) ? reference : this.#files.resolve(base ?? entry, decoded(reference));
  }

  override resolveDocument(base: string | null, reference: string): Promise<Document> {
    const path = this.resolveExternalRef(base, reference);
    // Only this method and the constructor write to the cache.
    const cached = this.cache.get(path) as Promise<Document> | undefined;
    if (cached) {
      return cached;
    }
    const document = this.#load(path).catch((error: unknown) => {
      const reason = messageOf(error);
      this.#reasons.set(path, reason);
      throw new ResolveError(new Error(reason));
    });
    this.cache.set(path, document);
    return document;
  }

  async #load(path: string): Promise<Document> {
    if (isRemote(path)) {
      throw new UsageError('files are not loaded from the network. Download the file, and refer to the copy');
    }
    if (this.cache.size > MAX_CONTRACT_FILES) {
      throw new UsageError(`the contract has more than ${MAX_CONTRACT_FILES} files`);
    }
    const text = await this.#files.read(path);
    this.#bytes += text.length;
    if (this.#bytes > MAX_CONTRACT_BYTES) {
      throw new UsageError(`the files of the contract have more than ${MAX_CONTRACT_BYTES} bytes in total`);
    }
    const parsed = parseData(this.#files.nameOf(path), text);
    if (isObject(parsed)) {
      resolveAddresses(parsed, this.#dialect);
    }
    this.#origins.add(path, text, parsed);
    return this.#documentOf(path, parsed);
  }

  #documentOf(path: string, parsed: Json): Document {
    this.#parsed.set(path, parsed);
    this.#shortenOwnReferences(path, parsed);
    completeMappings(parsed, this.#root);
    // The library would load the files of examples, which are documentation.
    eachObject(parsed, (object) => {
      if (typeof object.externalValue === 'string') {
        this.#externalValues.push([object, object.externalValue]);
        delete object.externalValue;
      }
    });
    return { source: new Source(path, ''), parsed };
  }

  /** Removes the name of a file from the references to itself, which the library leaves as they are. */
  #shortenOwnReferences(path: string, parsed: Json): void {
    eachObject(parsed, (object) => {
      const { $ref } = object;
      if (typeof $ref !== 'string' || $ref.startsWith('#') || isRemote($ref)) {
        return;
      }
      const [file = '', ...fragment] = $ref.split('#');
      if (this.resolveExternalRef(path, file) === path) {
        object.$ref = `#${fragment.join('#')}`;
      }
    });
  }

  /** Restores what is not for the library. */
  restore(): void {
    for (const [example, value] of this.#externalValues) {
      example.externalValue = value;
    }
  }

  /** Describes a reference that does not resolve. */
  describe(file: string, pointer: string): LocalProblem {
    const path = pointer.slice(2).split('/').filter(Boolean).map(unescapeFragmentToken);
    const root = this.#parsed.get(file);
    const value = valueAt(root, path);
    const reference = String(isObject(value) ? value.$ref : value);
    const [target = ''] = reference.split('#');
    const reason = this.#reasons.get(this.resolveExternalRef(file, target)) ?? 'its target does not exist';
    const place = {
      ...{ code: 'reference', file },
      path: isObject(value) ? [...path, '$ref'] : path,
    };
    const failure = `Reference ${reference} does not resolve: ${reason}.`;
    if (isObject(value) && isData(value, root)) {
      return { ...place, severity: 'note', message: `${failure} It is data, and remains as it is written.` };
    }
    return {
      ...place,
      // Without the name of a value, a discriminator only distinguishes fewer values.
      severity: path.at(-2) === 'mapping' ? 'warning' : 'error',
      message: `${failure} Add its target, or correct the reference.`,
    };
  }
}

/** Whether an object is data, where `$ref` is only a name: within an example, a default, an enum or an extension. */
function isData(object: JsonObject, root: Json | undefined): boolean {
  let isVisited = false;
  const isExample = isObject(root) && 'value' in root && !('schema' in root);
  eachObject(isExample ? { example: root } : (root ?? null), (visited) => {
    isVisited ||= visited === object;
  });
  return !isVisited;
}

/** Whether a reference has a scheme. That of a drive, such as `C:`, has only one letter. */
function isRemote(reference: string): boolean {
  return /^([a-z][a-z\d+.-]+:|\/\/)/i.test(reference);
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    // A percent sign without a valid escape is literal.
    return reference;
  }
}

/**
 * Completes the names of schemas in the mappings of discriminators to references, as the library requires. A name is one
 * of the same file, or of the entry file (OpenAPI 3.1.1, "Resolving Implicit Connections").
 */
function completeMappings(parsed: Json, entryRoot: JsonObject): void {
  eachObject(parsed, ({ mapping, propertyName }) => {
    if (typeof propertyName !== 'string' || !isObject(mapping)) {
      return;
    }
    for (const [value, target] of Object.entries(mapping)) {
      if (typeof target !== 'string' || target.startsWith('#') || isFileReference(target)) {
        continue;
      }
      const pointer = `#/components/schemas/${target}`;
      if (Object.hasOwn(schemasOf(parsed), target)) {
        mapping[value] = pointer;
      } else if (Object.hasOwn(schemasOf(entryRoot), target)) {
        mapping[value] = `${ENTRY}${pointer}`;
      }
    }
  });
}

function schemasOf(root: Json): JsonObject {
  const components = isObject(root) && isObject(root.components) ? root.components : {};
  return isObject(components.schemas) ? components.schemas : {};
}

/** The library names components after JSON pointers, without decoding them. */
function unescapeComponentNames({ components }: JsonObject): void {
  for (const group of Object.values(isObject(components) ? components : {})) {
    for (const name of Object.keys(isObject(group) ? group : {}).filter((key) => key.includes('~'))) {
      const unescaped = unescapeToken(name);
      if (isObject(group) && !Object.hasOwn(group, unescaped)) {
        group[unescaped] = group[name] as Json;
        delete group[name];
      }
    }
  }
}
