// The first caller of a measured service, in a separate process with a low priority: callers are on other machines, where
// they take no processor time from the service.
import { setPriority } from 'node:os';
import { lowerHelperPriority } from '../../../server/threads/priorities.ts';
import { LOADS } from '../benchmarks/stalls/loads.ts';
import { createLoadTarget, type MeasuredService, prepareLoads } from '../benchmarks/stalls/sources.ts';

/** A load to send to a service. */
export interface LoadRequest {
  service: MeasuredService;
  /** Key of {@link LOADS}. */
  label: string;
}

/** The end of a load, with a note if it failed. */
export interface LoadEnd {
  label: string;
  note: string;
}

/** Niceness of this process. */
const LOW_PRIORITY = 10;

const scale = Number(process.argv[2]);
// Small loads are not measured, and a busy machine would delay them.
if (scale === 1) {
  setPriority(LOW_PRIORITY);
  lowerHelperPriority();
}
const sources = await prepareLoads(scale);
const targets = new Map<string, ReturnType<typeof createLoadTarget>>();

process.on('message', async ({ service, label }: LoadRequest) => {
  const send = (note: string) => process.send?.({ label, note } satisfies LoadEnd);
  try {
    const target = targets.get(service.url) ?? createLoadTarget(service, sources);
    targets.set(service.url, target);
    await LOADS[label]?.(await target);
    send('');
  } catch (error) {
    send(` (${String(error).slice(0, 80)})`);
  }
});
process.once('disconnect', async () => {
  await sources.close();
  process.exit();
});
process.send?.('ready');
