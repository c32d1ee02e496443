import type { Contract } from '../../model/contract/contract.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Outcome } from '../report/finding.ts';
import type { Progress } from '../report/progress.ts';
import { RunEnded, Unresolved } from '../wire/exchange.ts';
import type { Wire } from '../wire/wire.ts';
import { Engine } from './engine.ts';
import { limitationsOf } from './limitations.ts';
import { runPhases } from './phases/phases.ts';
import { selected } from './select.ts';

/** Options of a run. */
export interface RunOptions {
  contract: Contract;
  wire: Wire;
  /** Seed of all random choices. */
  seed: number;
  /** Glob for ids and paths of the operations to test. Others are only used to create what these need. */
  only?: string;
  /** Globs for ids and paths of operations that receive no requests, not even to prepare others. */
  exclude?: readonly string[];
  /** Names of skipped checks. */
  excludedChecks: readonly string[];
  /** Whether requests may change resources that the run did not create. */
  touchExisting: boolean;
  /** Whether there is a second token, of a user without access to the resources of the first one. */
  secondToken: boolean;
  /** Plans to run instead of new ones. */
  replay?: readonly Plan[];
  progress: Progress;
  signal: AbortSignal;
}

/**
 * Tests a server against its contract up to the limits of time and requests, and deletes the created resources.
 * @throws {Unreachable} when the server cannot be reached
 */
export async function run(options: RunOptions): Promise<Outcome> {
  const startedAt = performance.now();
  const { contract, wire, seed, only, exclude = [], excludedChecks, replay, progress, signal } = options;
  const excluded = exclude.flatMap((pattern) => [...selected(contract, pattern)]);
  const engine = new Engine({ ...options, excluded: new Set(excluded) });
  const tested = new Set([...selected(contract, only)].filter((id) => !excluded.includes(id)));
  let end: Outcome['end'] = 'complete';
  try {
    if (replay) {
      await replayPlans(engine, replay);
    } else {
      await runPhases(engine, { tested, secondToken: options.secondToken, signal });
    }
  } catch (error) {
    if (!(error instanceof RunEnded)) {
      throw error;
    }
    end = error.reason;
    engine.end();
  }
  await engine.settle();
  engine.removeKnownStops();
  progress.update({ phase: 'cleaning up', operation: '' });
  const undeleted = await engine.createdResources.clear();
  return {
    findings: [...engine.findings.values()],
    coverage: engine.coverage.result(contract, tested, engine.generators),
    seed,
    end,
    requests: wire.requests(),
    milliseconds: Math.round(performance.now() - startedAt),
    excludedChecks: [...excludedChecks],
    limitations: [...limitationsOf(contract, tested), ...engine.sharedEntities.limitations()],
    undeleted,
  };
}

/** Runs plans unchanged; failures become findings. */
async function replayPlans(engine: Engine, plans: readonly Plan[]): Promise<void> {
  for (const plan of plans) {
    engine.update('replaying');
    const factory = engine.session('replay');
    try {
      for (const step of plan.steps) {
        await factory.session.perform(step);
      }
    } catch (error) {
      if (!(error instanceof Unresolved)) {
        throw error;
      }
    }
    await engine.close(factory);
  }
  await engine.checkWhetherStopped();
  await engine.settle();
}
