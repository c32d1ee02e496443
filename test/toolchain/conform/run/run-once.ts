import type { Outcome } from '../../../../spec/toolchain/conform/report/finding.ts';
import { type RunOptions, run } from '../../../../spec/toolchain/conform/run/run.ts';
import { createWire, type WireOptions } from '../../../../spec/toolchain/conform/wire/wire.ts';

/** Tests a server with a wire of its own, by default with the seed 1, one token and all checks. */
export async function runOnce(
  wireOptions: WireOptions,
  options: Partial<RunOptions> & Pick<RunOptions, 'contract'>,
): Promise<Outcome> {
  const wire = createWire(wireOptions);
  try {
    return await run({
      wire,
      seed: 1,
      excludedChecks: [],
      touchExisting: false,
      secondToken: false,
      progress: { update: () => {}, close: () => {} },
      signal: new AbortController().signal,
      ...options,
    });
  } finally {
    wire.close();
  }
}
