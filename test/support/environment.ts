import { join } from 'node:path';

/** Token of the first admin of every server under test. */
export const ADMIN_TOKEN = 'test-admin-token-0123456789-0123456789';

/** Secret key of every server under test. */
export const SECRET_KEY = 'a secret key of the tests, 32 characters or more';

/**
 * Variables of this process that programs of the tests inherit: all others could change their behaviour. Those of the
 * compilers are set by {@link setCompilerVariables}.
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

/**
 * Sets variables of the compilers that the tests run, unless they are set: Node's cache of compiled code, and the
 * resources of the compiler of TypeScript 7.
 */
export function setCompilerVariables(): void {
  // Programs that the tests start load compiled code, which halves their start time. Paths in the cache are relative, so
  // that copies of the repository share it.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules', COMPILE_CACHE);
  process.env.NODE_COMPILE_CACHE_PORTABLE ??= '1';
  // A Go program. Without garbage collection, and without a second checker, which checks shared types again, it takes two
  // thirds of the CPU time.
  process.env.GOGC ??= 'off';
  process.env.GOMEMLIMIT ??= '2GiB';
  process.env.GOMAXPROCS ??= '1';
}

/** Folder of the cache of compiled code, in the folder of packages. */
export const COMPILE_CACHE = '.cache/colophon-tests';

/** Returns the variables that every program of the tests needs. */
export function programEnvironment(): Record<string, string> {
  return Object.fromEntries(INHERITED.map((name) => [name, process.env[name] ?? '']));
}
