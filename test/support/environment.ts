/**
 * Variables of this process that programs of the tests inherit: all others could change their behaviour. The tests set
 * those of the caches and of the compiler in `test/vitest.config.ts`.
 */
const INHERITED = [
  'PATH',
  'HOME',
  'NODE_COMPILE_CACHE',
  'NODE_COMPILE_CACHE_PORTABLE',
  'GOGC',
  'GOMEMLIMIT',
  'GOMAXPROCS',
];

/** Folder of the cache of compiled code, in the folder of packages. */
export const COMPILE_CACHE = '.cache/colophon-tests';

/** Returns the variables that every program of the tests needs. */
export function programEnvironment(): Record<string, string> {
  return Object.fromEntries(INHERITED.map((name) => [name, process.env[name] ?? '']));
}
