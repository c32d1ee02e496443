/**
 * Variables of this process that programs of the tests inherit: all others could change their behaviour. The tests set
 * those of the caches and of the compiler in `test/vitest.config.ts`.
 */
const INHERITED = ['PATH', 'HOME', 'NODE_COMPILE_CACHE', 'GOGC', 'GOMEMLIMIT', 'GOMAXPROCS'];

/** Returns the variables that every program of the tests needs. */
export function programEnvironment(): Record<string, string> {
  return Object.fromEntries(INHERITED.map((name) => [name, process.env[name] ?? '']));
}
