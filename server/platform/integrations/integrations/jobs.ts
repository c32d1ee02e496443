import { sweepObjects } from '../../../content/store/sweep.ts';
import type { Services } from '../../kit/slice.ts';
import { sweepIntegration } from './rules.ts';

/** Registers the workers of the jobs of integrations. */
export function registerIntegrationJobs({ queue, database, clock }: Services): void {
  queue.register(sweepIntegration, async ({ payload }, signal) => {
    await sweepObjects(database, payload.organization, clock, signal);
  });
}
