/** Ends the run on the first signal and the process on the second. */
export function interruption(): { signal: AbortSignal; close(): void } {
  const controller = new AbortController();
  const end = () => {
    if (controller.signal.aborted) {
      process.exit(2);
    }
    console.error('\nStopping: deleting the created resources. Interrupt again to exit immediately.');
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) {
    process.on(signal, end);
  }
  return {
    signal: controller.signal,
    close() {
      for (const signal of signals) {
        process.off(signal, end);
      }
    },
  };
}
