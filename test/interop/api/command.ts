/** `npm run interop -- VERSION` */
import { readSource } from '../../../spec/toolchain/source.ts';
import { compareWithPlatform } from './compare.ts';
import { readPlatformDocument } from './document.ts';
import { formatDifferences } from './report.ts';

/** Compares the contract with the public document of the platform, and prints the differences. */
export async function comparePlatform(version: string): Promise<number> {
  const platform = await readPlatformDocument(version, '.colophon/interop');
  const own = await readSource('generated/openapi.json', process.cwd());
  console.log(formatDifferences(compareWithPlatform(platform, own)));
  return 0;
}
