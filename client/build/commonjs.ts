import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { transformSync } from 'esbuild';
import { replaceSpecifiers } from './imports.ts';

const MODULE_URL = 'moduleUrl';

/**
 * Writes a CommonJS version of each module and declaration file next to it: `index.cjs` and `index.d.cts`.
 *
 * TypeScript requires it for CommonJS modules of projects with `module: node16`, and so do test runners and versions of
 * Node that cannot load ES modules with `require`.
 * @param files absolute paths of JavaScript and declaration files
 * @param root folder of the files
 * @param out folder to write to
 */
export function writeCommonJs(files: readonly string[], root: string, out: string): void {
  for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
    const text = replaceSpecifiers(readFileSync(file, 'utf8'), file, (specifier) =>
      specifier.startsWith('.') ? specifier.replace(/\.js$/, '.cjs') : specifier,
    );
    const target = join(out, commonJsName(relative(root, file)));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, file.endsWith('.js') ? toCommonJs(text) : text);
  }
}

/** Name of the CommonJS version of a JavaScript or declaration file. */
export function commonJsName(path: string): string {
  return path.replace(/\.js$/, '.cjs').replace(/\.d\.ts$/, '.d.cts');
}

function toCommonJs(text: string): string {
  const { code } = transformSync(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    define: { 'import.meta.url': MODULE_URL },
  });
  const definition = `const ${MODULE_URL} = require("node:url").pathToFileURL(__filename).href;\n`;
  return code.includes(MODULE_URL) ? `${definition}${code}` : code;
}
