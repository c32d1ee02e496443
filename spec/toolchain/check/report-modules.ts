// Runs in the server of `dev` before its own modules, and reports each file that it imports to the loop, including those
// of its threads. Its query contains the process id of the loop: programs that the server starts inherit this module,
// but have a channel to the server instead.
import { registerHooks } from 'node:module';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

const isServer = process.ppid === Number(URL.parse(import.meta.url)?.searchParams.get('parent'));

if (isServer) {
  const channel = new BroadcastChannel('colophon:imported-modules');
  channel.unref();
  const report = (importedModule: string) => {
    if (!isMainThread) {
      channel.postMessage(importedModule);
    } else if (process.connected) {
      process.send?.({ importedModule });
    }
  };
  if (isMainThread) {
    channel.onmessage = (event) => report(String(event.data));
  }
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (resolved.url.startsWith('file:') && !resolved.url.includes('/node_modules/')) {
        report(resolved.url);
      }
      return resolved;
    },
  });
}
