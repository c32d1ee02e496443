import { type Credentials, redact } from '../credentials.ts';
import { OutgoingError } from '../errors.ts';
import { GitExit } from '../processes.ts';

/**
 * Converts a failure of `git fetch` or `git push` to an {@link OutgoingError} without credentials. Returns other errors
 * unchanged.
 */
export function explainFailure(
  error: unknown,
  ref: string,
  credentials: Credentials | undefined,
  action: 'fetch' | 'push' = 'fetch',
): unknown {
  if (!(error instanceof GitExit)) {
    return error;
  }
  const stderr = redact(error.stderr, credentials)
    .replace(/[^\x20-\x7e\n]/g, '')
    .trim();
  const remote = remoteMessage(stderr);
  const options = { cause: new Error(stderr) };
  if (isMissingRef(error)) {
    return new OutgoingError(
      'not-found',
      `The repository has no ref ${ref}. Check the name of the branch or tag.`,
      options,
    );
  }
  if (
    /authentication failed|could not read (username|password)|permission denied|host key verification failed|error: 40[13]/i.test(
      stderr,
    )
  ) {
    return new OutgoingError(
      'authentication',
      `The Git server denied access. Check the credentials, or the server's SSH key and known hosts.${remote}`,
      options,
    );
  }
  if (/repository .*not found|does not appear to be a git repository|error: 404/i.test(stderr)) {
    return new OutgoingError(
      'not-found',
      `The repository does not exist on the Git server. Check the path of the URL.${remote}`,
      options,
    );
  }
  if (
    /could not resolve|failed to connect|no route to host|network is unreachable|connection (refused|reset|timed out)|operation too slow|error: 5\d\d|unexpected disconnect|early EOF/i.test(
      stderr,
    )
  ) {
    return new OutgoingError(
      'unreachable',
      'The connection to the Git server failed. Try again later.',
      options,
    );
  }
  if (action === 'push') {
    return new OutgoingError(
      'failed',
      `The Git server rejected the push. Check that the credentials allow pushing to the branch.${remote}`,
      options,
    );
  }
  return new OutgoingError(
    'failed',
    `Git could not fetch the repository. Check that git clone works with the same URL.${remote}`,
    options,
  );
}

/**
 * Returns the message of the remote server. Messages of git and ssh themselves may reveal the internal network and are
 * only logged.
 */
function remoteMessage(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^(?:remote: |!)/.test(line));
  return lines.length === 0 ? '' : ` Message from the server: ${lines.join(' ').slice(-400)}`;
}

/** Returns whether git failed because the ref does not exist in the repository. */
export function isMissingRef(error: unknown): error is GitExit {
  return error instanceof GitExit && /couldn't find remote ref/i.test(error.stderr);
}
