import { LineCounter, parseDocument, stringify, visit } from 'yaml';
import { detached } from '../tree/detached.ts';
import { collapse, withoutNul, withoutZeroWidth } from './text.ts';

/** A YAML map, its values still unchecked. */
export type YamlMap = Record<string, unknown>;

/**
 * The longest front matter of a page that is read, in characters. Parsing takes up to a quarter of a second for
 * a hostile text of this length, and front matter that people write is a hundredth of it.
 */
export const MAX_FRONT_MATTER_CHARACTERS = 32_768;

/** The longest configuration (`.gitbook.yaml`, `.gitbook/vars.yaml`) that is read, in characters. */
export const MAX_CONFIGURATION_CHARACTERS = 131_072;

/** Parsed parts that one reader remembers, and the longest of them, in characters. */
const MAX_REMEMBERED_PARTS = 10_000;
const MAX_REMEMBERED_CHARACTERS = 512;

// Later keys win over earlier ones, as everywhere where people edit by hand; tags of other tools are ignored.
// Only the first error is used: the library would describe each with its place, which takes time for all of them.
const options = { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const;
/** Nodes that aliases of front matter or a configuration may repeat, for each that is written. */
export const MAX_YAML_ALIASES = 100;
const topLevelKey = /^(?=[^\s#\-}\]])/m;

/**
 * Reads YAML maps (YAML 1.2, core schema). Texts that repeat, such as the same `layout` on each page, are
 * parsed once per reader: each top-level key is looked up by its text.
 */
export class YamlReader {
  readonly #parts = new Map<string, YamlMap>();

  /**
   * The map in a text; an empty text is an empty map.
   *
   * @param maxCharacters the longest text that is parsed
   * @throws {Error} whose message fits behind "the YAML cannot be read: ".
   */
  readMap(text: string, maxCharacters: number): YamlMap {
    if (text.length > maxCharacters) throw new Error(`it is longer than ${maxCharacters} characters`);
    const source = withoutZeroWidth(text);
    return this.#readParts(source) ?? readWhole(source);
  }

  #readParts(source: string): YamlMap | undefined {
    const map: YamlMap = {};
    for (const part of source.split(topLevelKey)) {
      const read = this.#parts.get(part) ?? this.#readPart(part);
      if (read === undefined) return undefined;
      Object.assign(map, read);
    }
    return map;
  }

  #readPart(part: string): YamlMap | undefined {
    if (part.length > MAX_REMEMBERED_CHARACTERS || this.#parts.size >= MAX_REMEMBERED_PARTS)
      return readPart(part);
    const remembered = detached(part);
    const read = readPart(remembered);
    if (read !== undefined) this.#parts.set(remembered, read);
    return read;
  }
}

/**
 * What a text says. A number that JavaScript would write otherwise stays as it is written (a version 3.10), and
 * texts become what every database keeps: escapes can name what UTF-8 cannot.
 */
function parseValue(text: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { ...options, lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new Error(`${error.message} at line ${line}, column ${col}`);
  }
  visit(document, {
    Scalar: (_key, node) => {
      const { value, source } = node;
      if (typeof value === 'number' && source !== undefined && source !== String(value)) node.value = source;
      else if (typeof value === 'string') node.value = withoutNul(value).toWellFormed();
    },
  });
  return document.toJS({ maxAliasCount: MAX_YAML_ALIASES });
}

/** The map of one key, or nothing when the part does not stand alone (anchors, say, or a quoted text over lines). */
function readPart(part: string): YamlMap | undefined {
  try {
    const value = parseValue(part);
    if (value === null) return {};
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
    const [line = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw new Error(collapse(line).replace(/:$/, ''));
  }
  if (value === null) return {};
  if (!isMap(value)) throw new Error('it is no map of keys and values');
  return value;
}

/** A map as YAML that {@link YamlReader} reads back: each text on one line, whatever it holds. */
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

/** A value as one line of text; `undefined` for nothing and for what is no text. */
export function asText(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const text = String(value).trim();
  return text === '' ? undefined : text;
}

/** A value as a yes or no, the way people write it. */
export function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (/^(?:true|yes|on)$/i.test(value)) return true;
  return /^(?:false|no|off)$/i.test(value) ? false : undefined;
}

/** The longest value of a variable. */
export const MAX_VARIABLE_CHARACTERS = 256;

/**
 * A map of variables: texts, with numbers and booleans as they are written (description: strings).
 *
 * @param report is told about each value that is none.
 */
export function asVariables(value: unknown, report: (message: string) => void): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isMap(value)) {
    report('The variables are no map of names and values. Write one "name: value" on each line.');
    return {};
  }
  const entries: [string, string][] = [];
  for (const [name, raw] of Object.entries(value)) {
    const text = raw === null ? '' : typeof raw === 'string' ? raw : asText(raw);
    if (text === undefined || text.length > MAX_VARIABLE_CHARACTERS) {
      report(
        `The variable "${name}" is no text of at most ${MAX_VARIABLE_CHARACTERS} characters and was left out.`,
      );
    } else {
      entries.push([name, text]);
    }
  }
  return Object.fromEntries(entries);
}
