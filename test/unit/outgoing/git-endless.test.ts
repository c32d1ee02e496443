import { describe, expect, test } from 'vitest';
import {
  type EndlessRemote,
  endlessAdvertisement,
  endlessCapabilities,
  endlessRefs,
  endlessShallows,
  expandingPack,
} from '../../support/large/endless-remote.ts';
import { peakMemoryDuring } from '../../support/processes/peak-memory.ts';
import { useClones } from './clones.ts';

const clones = useClones();

/** Less than in production, so that it is reached in a moment. */
const DATA_BYTES = 33_554_432;
/** Memory of a process for its program, besides the data. */
const PROGRAM_BYTES = 16_777_216;

const REMOTES: Readonly<Record<string, EndlessRemote>> = {
  'lists refs': endlessAdvertisement(),
  'lists refs, compressed': endlessAdvertisement({ isCompressed: true }),
  'lists refs in version 2 of the protocol': endlessRefs,
  'announces capabilities': endlessCapabilities,
  'lists shallow commits': endlessShallows,
  'sends a commit': expandingPack('commit'),
  'sends a tree': expandingPack('tree'),
  'sends a tag': expandingPack('tag'),
};

// macOS limits only the time of programs.
describe.runIf(process.platform === 'linux')('a Git server without end that', () => {
  test.each(Object.entries(REMOTES))(
    '%s fails the clone within the limit of memory',
    async (_name, remote) => {
      const url = await clones.serveHTTP(remote);
      const limits = { dataBytes: DATA_BYTES, milliseconds: 20_000 };
      const { result, peakBytes } = await peakMemoryDuring(`HOME=${clones.folder}`, () =>
        clones.failure(`${url}/docs.git`, { limits }),
      );
      expect(result).toMatchObject({
        code: 'too-large',
        message: expect.stringContaining('memory limit of 32 MiB'),
      });
      expect(peakBytes).toBeLessThan(DATA_BYTES + PROGRAM_BYTES);
    },
  );
});
