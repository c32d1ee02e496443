// The script `prepare`, which npm runs in a clone after `npm ci`, and not where a package is installed. A server starts with
// a temporary folder and responds to a request, so that its first start finds compiled code. That is a convenience: an
// installation never fails because of it. JavaScript, which versions of Node that cannot run the server can execute.

/** Longest time that an installation waits, in milliseconds. */
const MAX_DURATION_MS = 20_000;

setTimeout(() => process.exit(0), MAX_DURATION_MS).unref();
try {
  const { useCompileCache } = await import('./compile-cache.js');
  if (useCompileCache()) {
    const { startOnce } = await import('./start-once.ts');
    await startOnce();
  }
} catch (error) {
  console.error('The first start of the server will compile its modules:', error);
}
process.exit(0);
