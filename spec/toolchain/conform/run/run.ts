import type { Contract } from '../contract/contract.ts';
import type { Plan } from '../plan/plan.ts';
import type { Outcome } from '../report/finding.ts';
import type { Progress } from '../report/progress.ts';
import { BudgetSpent, Unresolved } from '../wire/exchange.ts';
import type { Wire } from '../wire/wire.ts';
import { Engine } from './engine.ts';
import { everything } from './phases.ts';
import { selected } from './select.ts';

/** What a run is about, and what it may do. */
export interface RunOptions {
  contract: Contract;
  wire: Wire;
  /** Everything that is drawn at random follows from it. */
  seed: number;
  /** A glob over ids and paths of operations: only these are tested; others are used to make what they need. */
  only?: string;
  /** Names of checks that are left out. */
  leaveOut: readonly string[];
  /** Whether to change things that the run did not make. */
  touchExisting: boolean;
  /** Whether there is a second token, whose owner must not see what the first one makes. */
  secondToken: boolean;
  /** Plans to run in place of new ones. */
  replay?: readonly Plan[];
  progress: Progress;
  signal: AbortSignal;
}

/**
 * Tests a server against its contract until all is tried, or time or requests are used up, and deletes what it made.
 * @throws {Unreachable} when the server cannot be reached
 */
export async function run(options: RunOptions): Promise<Outcome> {
  const begun = performance.now();
  const { contract, wire, seed, only, leaveOut, replay, progress, signal } = options;
  const engine = new Engine(options);
  const chosen = selected(contract, only);
  let end: Outcome['end'] = 'complete';
  try {
    if (replay) await runAgain(engine, replay);
    else await everything(engine, { chosen, secondToken: options.secondToken, signal });
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    end = error.of;
  }
  // What was met in the last moment can no longer be shrunk, but is told.
  await engine.settle().catch((error) => {
    if (!(error instanceof BudgetSpent)) throw error;
  });
  progress.update({ phase: 'cleaning up', operation: '' });
  const leftBehind = await engine.ledger.clear();
  return {
    findings: [...engine.findings.values()],
    coverage: engine.coverage.result(contract, chosen, engine.makers.leftAlone),
    seed,
    end,
    requests: wire.requests(),
    milliseconds: Math.round(performance.now() - begun),
    leftOut: [...leaveOut],
    leftBehind,
  };
}

/** Runs plans as they are; what fails becomes findings. */
async function runAgain(engine: Engine, plans: readonly Plan[]): Promise<void> {
  for (const plan of plans) {
    engine.update('replaying');
    const { session } = engine.session('replay');
    try {
      for (const step of plan.steps) await session.perform(step);
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error;
    }
    await engine.settle();
  }
}
