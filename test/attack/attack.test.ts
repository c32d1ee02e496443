// Runs on one engine: both execute the statements that access.test.ts executes for outsiders.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conditionalText } from './conditions.ts';
import { hostileArchives, hostileMarkdown, publishedScript, storedScript } from './content.ts';
import { endedRights } from './ended-rights.ts';
import { endlessRemotes } from './endless.ts';
import { foreignBodies, foreignPaths, foreignQueries } from './foreign-ids.ts';
import { forgedAddresses, forgedSignatures, forgedTunnels } from './forged.ts';
import { slowTexts } from './slow-texts.ts';
import { type Attack, breach, expectAlive, SECRET, startTarget, type Target, victimIds } from './target.ts';
import { malformedRequests } from './targets.ts';
import { forgedVisitors, malformedForms } from './visitors.ts';

/** Rounds of attacks that are drawn from a larger set; `npm run attack` sets more. */
const ROUNDS = Number(process.env.COLOPHON_ATTACK_ROUNDS ?? 1);

/** Concurrent attacks. */
const CONCURRENCY = 6;

const CLASSES = [
  foreignPaths,
  foreignBodies,
  foreignQueries,
  forgedAddresses,
  forgedTunnels,
  forgedSignatures,
  malformedRequests,
  slowTexts,
  hostileMarkdown,
  hostileArchives,
  ...(process.platform === 'linux' ? [endlessRemotes] : []),
  storedScript,
  publishedScript,
  conditionalText,
  forgedVisitors,
  malformedForms,
  endedRights,
];

let target: Target;
const report: { class: string; count: number; accepted: number; passed: number }[] = [];

beforeAll(async () => {
  target = await startTarget();
});
afterAll(async () => {
  await target.close();
  if (process.env.COLOPHON_ATTACK_ROUNDS !== undefined) {
    console.table(report);
  }
});

test.each(CLASSES)(
  '$name do not get through',
  { timeout: 300_000 * ROUNDS },
  async ({ name, attacks, after, minAccepted = 0 }) => {
    const all = await attacks(target, ROUNDS);
    expect(all.length).toBeGreaterThan(0);
    const secrets = [SECRET, ...(await victimIds(target))];
    const breaches: string[] = [];
    let accepted = 0;
    const left = all.values();
    const worker = async () => {
      for (const attack of left) {
        const { problem, isAccepted } = await outcomeOf(attack, secrets);
        if (problem !== undefined) {
          breaches.push(`${attack.name}: ${problem}`);
        }
        accepted += isAccepted ? 1 : 0;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    report.push({ class: name, count: all.length, accepted, passed: all.length - breaches.length });
    expect(breaches).toEqual([]);
    expect(accepted / all.length).toBeGreaterThanOrEqual(minAccepted);
    await after?.(target);
    await expectAlive(target);
  },
);

/** Sends an attack. Returns its problem, if the server did not resist, and whether the server accepted the request. */
async function outcomeOf(
  attack: Attack,
  secrets: readonly string[],
): Promise<{ problem: string | undefined; isAccepted: boolean }> {
  try {
    const response = await attack.send();
    return {
      problem: breach(response, secrets),
      isAccepted: response.status >= 200 && response.status < 300,
    };
  } catch (error) {
    return { problem: `no response: ${String(error)}`, isAccepted: false };
  }
}
