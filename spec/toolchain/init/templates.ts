import { glob, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';

/** Folder of the templates. */
export const TEMPLATES = join(import.meta.dirname, 'templates');

/** Texts that differ between projects, by the name of their placeholder: `{{title}}`. */
export type TemplateValues = Readonly<Record<string, string>>;

/** npm does not publish files with some names, and a template of a workflow is no YAML. */
const RENAMED: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  '.github/workflows/contract.yml.template': '.github/workflows/contract.yml',
};

/**
 * Reads folders of templates, and fills their placeholders.
 * @returns texts by path, relative to the new project
 */
export async function readTemplates(
  folders: readonly string[],
  values: TemplateValues,
): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    const cwd = join(TEMPLATES, folder);
    for await (const entry of glob(['**/*', '.github/**/*'], { cwd, withFileTypes: true })) {
      if (entry.isFile()) {
        const file = join(entry.parentPath, entry.name);
        const path = file
          .slice(cwd.length + 1)
          .split(sep)
          .join('/');
        files.set(
          RENAMED[path] ?? path.replace(/^released\//, `${values.released}/`),
          fill(await readFile(file, 'utf8'), escapedFor(path, values)),
        );
      }
    }
  }
  return files;
}

/** Values for the strings of a file in JSON or TypeScript; other files contain them as they are. */
function escapedFor(path: string, values: TemplateValues): TemplateValues {
  const escapeText = path.endsWith('.json') ? escapeJson : path.endsWith('.ts') ? escapeQuotes : undefined;
  return escapeText === undefined
    ? values
    : Object.fromEntries(Object.entries(values).map(([name, value]) => [name, escapeText(value)]));
}

const escapeJson = (value: string) => JSON.stringify(value).slice(1, -1);
const escapeQuotes = (value: string) => escapeJson(value).replaceAll("'", "\\'");

function fill(text: string, values: TemplateValues): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) {
      throw new Error(`A template has the unknown placeholder ${name}.`);
    }
    return value;
  });
}
