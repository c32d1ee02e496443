import { expect, test } from 'vitest';
import { cutPower, type Entry } from '../../support/crash/disk/power-cut.ts';

const entry = (kind: Entry['kind'], path: string, second = ''): Entry => ({
  kind,
  path,
  position: 0,
  data: Buffer.from(second),
});

test('a folder that was not recorded is moved with its files by a power cut', () => {
  // mkdtemp() creates a folder without a record.
  const entries = [
    entry('crea', '/data/clone-1/HEAD'),
    entry('rena', '/data/clone-1', '/data/cached'),
    entry('rena', '/data/cached', '/data/clone-2'),
  ];
  const { files, folders } = cutPower({ files: [], folders: ['/data'] }, entries, () => 0.99, 1);
  expect([...files.keys()]).toEqual(['/data/clone-2/HEAD']);
  expect([...folders]).toEqual(['/data', '/data/clone-2']);
});
