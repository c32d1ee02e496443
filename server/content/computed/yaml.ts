import { parseDocument } from 'yaml';

/** Maximum number of nodes that aliases repeat, per node of the text. More indicates a YAML bomb. */
export const MAX_SPECIFICATION_ALIASES = 100;

/** Maximum length of YAML converted to JSON, in UTF-16 units: aliases repeat their content. */
export const MAX_SPECIFICATION_JSON_CHARACTERS = 33_554_432;

/** The JSON of a YAML text, or the reason why it is invalid. */
export type YamlResult = { json: string } | { error: string };

/** Converts YAML 1.2 to JSON. Takes seconds per megabyte. */
export function yamlToJson(text: string): YamlResult {
  try {
    // Many specifications share parts with merge keys, which YAML 1.2 no longer has.
    const document = parseDocument(text, { uniqueKeys: false, merge: true, logLevel: 'silent' });
    const [error] = document.errors;
    if (error) {
      return { error: firstLine(error) };
    }
    const json = JSON.stringify(document.toJS({ maxAliasCount: MAX_SPECIFICATION_ALIASES })) ?? 'null';
    return json.length > MAX_SPECIFICATION_JSON_CHARACTERS
      ? {
          error: `It exceeds ${MAX_SPECIFICATION_JSON_CHARACTERS} characters as JSON. Use fewer aliases.`,
        }
      : { json };
  } catch (error) {
    return { error: firstLine(error) };
  }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
