import { LineCounter, parseDocument, stringify, visit } from 'yaml';
import { detached } from '../tree/detached.ts';
import { withoutInvisibleInYaml } from './invisible.ts';
import type { ReportProblem } from './problems.ts';
import { collapse, withoutNul } from './text.ts';

/** A YAML map with unchecked values. */
export type YamlMap = Record<string, unknown>;

/**
 * Maximum length of a page's front matter. Parsing a malicious text of this length takes up to a quarter of a second;
 * typical front matter is a hundred times shorter.
 */
export const MAX_FRONT_MATTER_CHARACTERS = 32_768;

/** Maximum length of a configuration (`.gitbook.yaml`, `.gitbook/vars.yaml`). */
export const MAX_CONFIGURATION_CHARACTERS = 131_072;

/** YAML that cannot be read. The message completes "the YAML cannot be read: ". */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  /** Line of the text, from 1, if the error has a position. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** Number of parsed parts that a reader caches, and maximum length of each in characters. */
const MAX_CACHED_PARTS = 10_000;
const MAX_CACHED_TEXT_CHARACTERS = 512;

// Later keys replace earlier ones, which is common in files edited by hand; tags of other tools are ignored. Only the
// first error is used: positions of all errors would be slow to compute.
const YAML_OPTIONS = { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const;
/** Maximum nodes that aliases of front matter or a configuration repeat, per node of the text. */
export const MAX_YAML_ALIASES = 100;
const TOP_LEVEL_KEY = /^(?=[^\s#\-}\]])/m;

/**
 * Parses YAML maps (YAML 1.2, core schema). Repeated texts, such as the same `layout` on each page, are parsed once
 * per reader: each top-level key is cached by its text.
 */
export class YamlReader {
  readonly #parts = new Map<string, YamlMap>();

  /**
   * Parses a map; an empty text is an empty map.
   *
   * @param maxCharacters maximum length of the text
   * @throws {YamlError}
   */
  readMap(text: string, maxCharacters: number): YamlMap {
    if (text.length > maxCharacters) {
      throw new YamlError(`it exceeds ${maxCharacters} characters`);
    }
    const source = withoutInvisibleInYaml(text);
    return this.#readParts(source) ?? readWhole(source);
  }

  #readParts(source: string): YamlMap | undefined {
    const map: YamlMap = {};
    for (const part of source.split(TOP_LEVEL_KEY)) {
      const read = this.#parts.get(part) ?? this.#readPart(part);
      if (read === undefined) {
        return undefined;
      }
      Object.assign(map, read);
    }
    return map;
  }

  #readPart(part: string): YamlMap | undefined {
    if (part.length > MAX_CACHED_TEXT_CHARACTERS || this.#parts.size >= MAX_CACHED_PARTS) {
      return readPart(part);
    }
    const remembered = detached(part);
    const read = readPart(remembered);
    if (read !== undefined) {
      this.#parts.set(remembered, read);
    }
    return read;
  }
}

/**
 * Parses a text. A number that JavaScript formats differently (such as a version 3.10) remains a string as written,
 * and strings are made storable in every database: escapes can encode characters that UTF-8 cannot.
 */
function parseValue(text: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { ...YAML_OPTIONS, lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    throw new YamlError(error.message, lines.linePos(error.pos[0]).line);
  }
  visit(document, {
    Scalar: (_key, node) => {
      const { value, source } = node;
      if (typeof value === 'number' && source !== undefined && source !== String(value)) {
        node.value = source;
      } else if (typeof value === 'string') {
        node.value = withoutNul(value).toWellFormed();
      }
    },
  });
  return document.toJS({ maxAliasCount: MAX_YAML_ALIASES });
}

/**
 * Parses the map of one key; undefined if the part depends on others (because of anchors or multi-line strings, for
 * example).
 */
function readPart(part: string): YamlMap | undefined {
  try {
    const value = parseValue(part);
    if (value === null) {
      return {};
    }
    return isMap(value) && Object.keys(value).length === 1 && !Object.hasOwn(value, '__proto__')
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

function readWhole(source: string): YamlMap {
  let value: unknown;
  try {
    value = parseValue(source);
  } catch (error) {
    const [firstLine = ''] = error instanceof Error ? error.message.split('\n') : [];
    const position = error instanceof YamlError ? error.line : undefined;
    throw new YamlError(collapse(firstLine).replace(/:$/, ''), position);
  }
  if (value === null) {
    return {};
  }
  if (!isMap(value)) {
    throw new YamlError('it is not a map of keys and values');
  }
  return value;
}

/** Formats a map as YAML that {@link YamlReader} can read, with each string on one line. */
export function writeYaml(map: object): string {
  return stringify(map, {
    lineWidth: 0,
    blockQuote: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  });
}

/** Whether a value is a YAML map. */
export function isMap(value: unknown): value is YamlMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a value as one line of text; undefined if it is empty or not text. */
export function asText(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
    return undefined;
  }
  const text = String(value).trim();
  return text === '' ? undefined : text;
}

/** Parses a boolean in its common notations. */
export function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') {
    return value;
  }
  if (typeof value !== 'string') {
    return undefined;
  }
  if (/^(?:true|yes|on)$/i.test(value)) {
    return true;
  }
  return /^(?:false|no|off)$/i.test(value) ? false : undefined;
}

/** Maximum length of the value of a variable. */
export const MAX_VARIABLE_CHARACTERS = 256;

/**
 * Reads a map of variables. Values are strings; numbers and booleans are converted as written.
 *
 * @param report receives a problem for each invalid value
 */
export function asVariables(value: unknown, report: ReportProblem): Record<string, string> {
  if (value === undefined || value === null) {
    return {};
  }
  if (!isMap(value)) {
    report(
      'invalid_value',
      'The variables are not a map of names and values. Write one "name: value" per line.',
    );
    return {};
  }
  const entries: [string, string][] = [];
  for (const [name, raw] of Object.entries(value)) {
    const text = raw === null ? '' : typeof raw === 'string' ? raw : asText(raw);
    if (text === undefined || text.length > MAX_VARIABLE_CHARACTERS) {
      report(
        'invalid_value',
        `The variable "${name}" was skipped: it is not a text of at most ${MAX_VARIABLE_CHARACTERS} characters.`,
      );
    } else {
      entries.push([name, text]);
    }
  }
  return Object.fromEntries(entries);
}
