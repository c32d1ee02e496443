import { trimInvisible } from '../invisible.ts';
import { decodeText } from '../text.ts';
import { isMap, MAX_CONFIGURATION_CHARACTERS, type YamlMap } from '../yaml.ts';

/** The table `book` of TOML, up to the next table, and its key `src`. */
const BOOK_TABLE = /^[ \t]*\[[ \t]*book[ \t]*\](.*(?:\n(?![ \t]*\[[^[\],]+\][ \t]*(?:#.*)?$).*)*)/m;
const SOURCE_KEY = /^[ \t]*src[ \t]*=[ \t]*(?:"([^"\\\n]*)"|'([^'\n]*)')/m;
const LANGUAGE_KEY = /^[ \t]*language[ \t]*=[ \t]*["']([\w-]{1,35})["']/m;
const DEFAULT_SOURCE = 'src';

/** Configuration files of other tools that state where the documentation is, in the top folder of a project. */
export const toolConfigurations: readonly { name: string; read: (text: string) => YamlMap }[] = [
  { name: 'book.json', read: readBookJson },
  { name: 'book.toml', read: readBookToml },
];

/** Whether a file is the configuration of another tool. */
export function isToolConfiguration(path: string): boolean {
  return toolConfigurations.some(({ name }) => path === name || path.endsWith(`/${name}`));
}

/** Returns the values of a configuration by the keys of `.gitbook.yaml`. Unreadable ones have none. */
export function readToolConfiguration(content: Uint8Array, read: (text: string) => YamlMap): YamlMap {
  const text = decodeText(content);
  return text.length > MAX_CONFIGURATION_CHARACTERS ? {} : read(trimInvisible(text));
}

/** Reads `root`, `structure` and `language` of HonKit. */
function readBookJson(text: string): YamlMap {
  try {
    const values: unknown = JSON.parse(text);
    return isMap(values) ? { root: values.root, structure: values.structure, language: values.language } : {};
  } catch {
    return {};
  }
}

/** Reads `src` and `language` of mdBook. */
function readBookToml(text: string): YamlMap {
  const table = BOOK_TABLE.exec(text)?.[1] ?? '';
  const [, double, single] = SOURCE_KEY.exec(table) ?? [];
  const [, language] = LANGUAGE_KEY.exec(table) ?? [];
  return { root: double ?? single ?? DEFAULT_SOURCE, language };
}
