import { parseDocument } from 'yaml';

/** How many nodes aliases may repeat in all, per node that is written: what is beyond is a bomb. */
export const MAX_SPECIFICATION_ALIASES = 100;

/** The JSON that a YAML text holds, or why it holds none. */
export type YamlAnswer = { json: string } | { error: string };

/** Reads YAML 1.2 as JSON. It takes seconds for each megabyte. */
export function yamlToJson(text: string): YamlAnswer {
  try {
    // Many specifications share parts by merge keys, which YAML 1.2 has no more.
    const document = parseDocument(text, { uniqueKeys: false, merge: true, logLevel: 'silent' });
    const [error] = document.errors;
    if (error) return { error: firstLine(error) };
    return { json: JSON.stringify(document.toJS({ maxAliasCount: MAX_SPECIFICATION_ALIASES })) ?? 'null' };
  } catch (error) {
    return { error: firstLine(error) };
  }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
