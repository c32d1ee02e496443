import { type OperationEntry, operations } from '../../generated/operations.ts';
import { startChild } from './child.ts';
import { onEachEngine } from './places.ts';
import type { Figure } from './table.ts';

/** The memory of the service before and after a request to every operation, so that all validators are built. */
export async function measureMemory(): Promise<Figure[]> {
  return await onEachEngine(async ({ engine, environment }) => {
    const { url, token, usage, stop } = await startChild('service', environment);
    const before = (await usage()).rss;
    for (const [id, { method, path, body }] of Object.entries<OperationEntry>(operations)) {
      const response = await fetch(url + path.replaceAll(/\{\w+\}/g, 'nothing'), {
        method: method.toUpperCase(),
        headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body: '{}' }),
      });
      await response.arrayBuffer();
      if (response.status === 500) throw new Error(`${id} answered 500.`);
    }
    const after = (await usage()).rss;
    await stop();
    return {
      what: `memory after every operation, on ${engine}`,
      ours: megabytes(after),
      beside: `${megabytes(before)} after the start`,
      ratio: after / before,
      aim: 'under 250 MB',
    };
  });
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`;
