import { parseDocument } from 'yaml';

/** How many nodes aliases may repeat in all, per node that is written: what is beyond is a bomb. */
export const MAX_SPECIFICATION_ALIASES = 100;

/** The longest JSON that YAML may become, in UTF-16 units: aliases repeat what they name. */
export const MAX_SPECIFICATION_JSON_CHARACTERS = 33_554_432;

/** The JSON that a YAML text holds, or why it holds none. */
export type YamlAnswer = { json: string } | { error: string };

/** Reads YAML 1.2 as JSON. It takes seconds for each megabyte. */
export function yamlToJson(text: string): YamlAnswer {
  try {
    // Many specifications share parts by merge keys, which YAML 1.2 has no more.
    const document = parseDocument(text, { uniqueKeys: false, merge: true, logLevel: 'silent' });
    const [error] = document.errors;
    if (error) return { error: firstLine(error) };
    const json = JSON.stringify(document.toJS({ maxAliasCount: MAX_SPECIFICATION_ALIASES })) ?? 'null';
    return json.length > MAX_SPECIFICATION_JSON_CHARACTERS
      ? {
          error: `It has more than ${MAX_SPECIFICATION_JSON_CHARACTERS} characters as JSON. Use fewer aliases.`,
        }
      : { json };
  } catch (error) {
    return { error: firstLine(error) };
  }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
