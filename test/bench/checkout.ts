import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkout } from './benchmark.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Maximum size of the files of a commit, in bytes. */
const MAX_ARCHIVE_BYTES = 1024 ** 3;
/** Maximum duration of the installation of packages, in milliseconds. */
const INSTALL_TIMEOUT_MS = 5 * 60_000;

/** A copy of a commit that is removed after the run. */
export interface TemporaryCheckout extends Checkout {
  remove(): void;
}

/**
 * Copies the files of a commit to a temporary folder. It shares the packages of this repository if its lock file is the
 * same; otherwise npm installs them.
 *
 * @throws Error if the repository does not contain the commit
 */
export function checkOut(revision: string): TemporaryCheckout {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, maxBuffer: MAX_ARCHIVE_BYTES, stdio: ['ignore', 'pipe', 'pipe'] });
  const commit = git('rev-parse', '--verify', '--short', '--end-of-options', `${revision}^{commit}`)
    .toString()
    .trim();
  const folder = mkdtempSync(join(tmpdir(), 'colophon-commit-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) });
    const lockOf = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
    if (lockOf(folder) === lockOf(ROOT)) {
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    } else {
      execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: INSTALL_TIMEOUT_MS,
      });
    }
    return { commit, folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
