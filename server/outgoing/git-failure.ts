import { type Credentials, redact } from './credentials.ts';
import { OutgoingError } from './errors.ts';
import { GitExit } from './processes.ts';

/**
 * Says what a failure of `git fetch` or `git push` means, without the credentials; any other error stays as it is.
 */
export function explainFailure(
  error: unknown,
  ref: string,
  credentials: Credentials | undefined,
  action: 'fetch' | 'push' = 'fetch',
): unknown {
  if (!(error instanceof GitExit)) return error;
  const said = redact(error.stderr, credentials)
    .replace(/[^\x20-\x7e\n]/g, '')
    .trim();
  const quoted = quotedFrom(said);
  const options = { cause: new Error(said) };
  if (isMissingRef(error)) {
    return new OutgoingError(
      'not-found',
      `The repository has no ${ref}. Check the name of the branch or tag.`,
      options,
    );
  }
  if (
    /authentication failed|could not read (username|password)|permission denied|host key verification failed|error: 40[13]/i.test(
      said,
    )
  ) {
    return new OutgoingError(
      'authentication',
      `The Git server refused access. Check the credentials, or the server's ssh key and known hosts.${quoted}`,
      options,
    );
  }
  if (/repository .*not found|does not appear to be a git repository|error: 404/i.test(said)) {
    return new OutgoingError(
      'not-found',
      `The Git server has no such repository. Check the path of the URL.${quoted}`,
      options,
    );
  }
  if (
    /could not resolve|failed to connect|no route to host|network is unreachable|connection (refused|reset|timed out)|operation too slow|error: 5\d\d|unexpected disconnect|early EOF/i.test(
      said,
    )
  ) {
    return new OutgoingError(
      'unreachable',
      'The connection to the Git server failed. Try again later.',
      options,
    );
  }
  if (action === 'push')
    return new OutgoingError(
      'failed',
      `The Git server did not take the commit. Check that the branch may be pushed to with these credentials.${quoted}`,
      options,
    );
  return new OutgoingError(
    'failed',
    `Git could not fetch the repository. Check that git clone works with the same URL.${quoted}`,
    options,
  );
}

/**
 * What the other side said. What git and ssh say themselves may tell what a name stands for, and what answers there:
 * that is for the log.
 */
function quotedFrom(said: string): string {
  const lines = said.split('\n').filter((line) => /^(?:remote: |!)/.test(line));
  return lines.length === 0 ? '' : ` The server said: ${lines.join(' ').slice(-400)}`;
}

/** Whether git found the repository, and no such ref in it. */
export function isMissingRef(error: unknown): error is GitExit {
  return error instanceof GitExit && /couldn't find remote ref/i.test(error.stderr);
}
