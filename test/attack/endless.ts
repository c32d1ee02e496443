import { expect } from 'vitest';
import { RunFailedError, waitForRun } from '../../client/platform/index.ts';
import { GIT_LIMITS } from '../../server/outgoing/git/git.ts';
import { serveOnLoopback } from '../support/http/loopback.ts';
import {
  type EndlessRemote,
  endlessAdvertisement,
  endlessRefs,
  expandingPack,
} from '../support/large/endless-remote.ts';
import { peakMemoryDuring } from '../support/processes/peak-memory.ts';
import type { Attack, AttackClass, AttackResponse, Target } from './target.ts';

/** Git servers without end, the most effective first. */
const REMOTES: readonly (readonly [name: string, remote: EndlessRemote])[] = [
  ['refs, compressed', endlessAdvertisement({ isCompressed: true })],
  ['refs', endlessAdvertisement()],
  ['refs in version 2 of the protocol', endlessRefs],
  ['a tree', expandingPack('tree')],
  ['a commit', expandingPack('commit')],
];

/** Memory of a process for its program, besides the data. */
const PROGRAM_BYTES = 33_554_432;
/** A variable that only the processes of git have that the server starts. */
const GIT_ENVIRONMENT = 'GIT_ALLOW_PROTOCOL=http';

/** Imports from Git servers that send without end. */
export const endlessRemotes: AttackClass = {
  name: 'Git servers that never end their response',
  async attacks(target, rounds) {
    // Each fills the memory of a process.
    const remotes = rounds === 1 ? REMOTES.slice(0, 1) : REMOTES;
    return await Promise.all(
      remotes.map(async ([name, remote]): Promise<Attack> => {
        const spaceId = await target.own.fresh().idFor('spaceId');
        return { name, send: () => importEndless(target, spaceId, remote) };
      }),
    );
  },
  async after({ own, git, attacker: { client } }) {
    const repository = await git.createRepository({ 'README.md': '# Start\n\nText\n' });
    const params = { path: { spaceId: await own.fresh().idFor('spaceId') } };
    const body = { url: repository.url, ref: 'refs/heads/main' };
    const run = await waitForRun(client, client.POST('/v1/spaces/{spaceId}/git/import', { params, body }));
    expect(run.status).toBe('completed');
  },
};

/** Imports from a remote. A run that does not fail by its limit, or takes more memory, is a breach. */
async function importEndless(
  { attacker: { client } }: Target,
  spaceId: string,
  remote: EndlessRemote,
): Promise<AttackResponse> {
  const site = await serveOnLoopback(remote);
  try {
    const params = { path: { spaceId } };
    const body = { url: `${site.url}/docs.git`, ref: 'refs/heads/main' };
    const importing = () =>
      waitForRun(client, client.POST('/v1/spaces/{spaceId}/git/import', { params, body })).catch(
        (error: unknown) => error,
      );
    const { result, peakBytes } = await peakMemoryDuring(GIT_ENVIRONMENT, importing);
    const reason = result instanceof RunFailedError ? result.run.failure?.reason : undefined;
    const isBounded = peakBytes < GIT_LIMITS.dataBytes + PROGRAM_BYTES;
    const text = `${String(result)} (${reason}, ${peakBytes} bytes)`;
    return { status: 200, text, mustFail: reason !== 'limit_exceeded' || !isBounded };
  } finally {
    await site.close();
  }
}
