/** The fonts that sites choose, from packages of Fontsource: each has a file for each script. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import decompress from 'woff2-encoder/decompress';
import { addFont, parseFont } from './files.ts';
import { fontOfWeight } from './variable.ts';

const { resolve } = createRequire(import.meta.url);

/** The names of the fonts of a family, see `loadFont`, in the order of the search for a character. */
export interface FontFamily {
  regular: readonly string[];
  bold: readonly string[];
}

const WEIGHTS = { regular: 400, bold: 700 };
/** Bold texts of families with a file for each weight. */
const SEMIBOLD_WEIGHT = 600;

const families = new Map<string, Promise<FontFamily>>();

/** Loads the family of a package, once per thread: WOFF2 fonts are decompressed asynchronously. */
export async function loadFamily(packageName: string): Promise<FontFamily> {
  const family = families.get(packageName) ?? readFamily(packageName);
  families.set(packageName, family);
  return await family;
}

async function readFamily(packageName: string): Promise<FontFamily> {
  const folder = join(dirname(resolve(`${packageName}/package.json`)), 'files');
  const files = readdirSync(folder).sort(byScript);
  const variable = files.filter((file) => file.endsWith('-wght-normal.woff2'));
  if (variable.length === 0) {
    const ofWeight = (weight: number) =>
      files
        .filter((file) => file.endsWith(`-${weight}-normal.woff`))
        .map((file) => `${packageName}/files/${file}`);
    return { regular: ofWeight(WEIGHTS.regular), bold: ofWeight(SEMIBOLD_WEIGHT) };
  }
  const family: Record<keyof FontFamily, string[]> = { regular: [], bold: [] };
  for (const file of variable) {
    const font = parseFont(Buffer.from(await decompress(readFileSync(join(folder, file)))), file);
    for (const style of ['regular', 'bold'] as const) {
      const name = `${packageName}/files/${file}#${WEIGHTS[style]}`;
      addFont(name, fontOfWeight(font, WEIGHTS[style]));
      family[style].push(name);
    }
  }
  return family;
}

/** Latin letters, which most texts have, are searched first. */
function byScript(a: string, b: string): number {
  const rank = (file: string) => (/-latin-(?:wght|\d)/.test(file) ? 0 : /-latin-ext-/.test(file) ? 1 : 2);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}
