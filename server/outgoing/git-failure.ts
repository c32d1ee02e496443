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
  const quoted = said === '' ? '' : ` Git said: ${said.slice(-400)}`;
  if (isMissingRef(error)) {
    return new OutgoingError(
      'not-found',
      `The repository has no ${ref}. Check the name of the branch or tag.`,
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
    );
  }
  if (/repository .*not found|does not appear to be a git repository|error: 404/i.test(said)) {
    return new OutgoingError(
      'not-found',
      `The Git server has no such repository. Check the path of the URL.${quoted}`,
    );
  }
  if (
    /could not resolve|failed to connect|connection (refused|reset|timed out)|operation too slow|error: 5\d\d|unexpected disconnect|early EOF/i.test(
      said,
    )
  ) {
    return new OutgoingError(
      'unreachable',
      `The connection to the Git server failed. Try again later.${quoted}`,
    );
  }
  if (action === 'push')
    return new OutgoingError(
      'failed',
      `The Git server did not take the commit. Check that the branch may be pushed to with these credentials.${quoted}`,
    );
  return new OutgoingError(
    'failed',
    `Git could not fetch the repository. Check that git clone works with the same URL.${quoted}`,
  );
}

/** Whether git found the repository, and no such ref in it. */
export function isMissingRef(error: unknown): error is GitExit {
  return error instanceof GitExit && /couldn't find remote ref/i.test(error.stderr);
}
