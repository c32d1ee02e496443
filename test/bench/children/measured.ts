// Loaded into a server before its own modules: reports its usage to the benchmark that started it. The server's worker
// threads and job processes inherit the option that loads this module, but not the variable.
if (process.env.COLOPHON_BENCH_MEASURED) {
  delete process.env.COLOPHON_BENCH_MEASURED;
  const { reportUsage } = await import('./channel.ts');
  reportUsage();
}

export {};
