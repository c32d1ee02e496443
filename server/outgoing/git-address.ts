import { type Credentials, splitCredentials } from './credentials.ts';
import { repositoryProtocols } from './environment.ts';
import { OutgoingError } from './errors.ts';

/**
 * Reads the address of a repository, and takes the credentials off it.
 *
 * @throws {OutgoingError} `invalid-url` or `refused-protocol`.
 */
export function readAddress(text: string): { url: URL; credentials?: Credentials } {
  const split = splitCredentials(text);
  const { url } = split;
  if (!repositoryProtocols.has(url.protocol)) {
    throw new OutgoingError(
      'refused-protocol',
      `Repositories are not fetched over "${url.protocol.slice(0, -1)}". Use an https, http or ssh URL.`,
    );
  }
  const unusable =
    url.hostname === '' ||
    url.hostname.startsWith('-') ||
    /^(?:-|%2d)/i.test(url.username) ||
    /^\/+(?:-|%2d)/i.test(url.pathname) ||
    url.port === '0' ||
    url.search !== '';
  if (unusable || url.pathname.replace(/\/+$/, '') === '') {
    throw new OutgoingError(
      'invalid-url',
      'The URL names no repository. Write it as in https://host/path, without a part after "?", and with no "-" at the start of the user, host or path.',
    );
  }
  url.hash = '';
  return split;
}

/**
 * Checks a name by git's rules (git-check-ref-format), for branches and tags.
 *
 * @throws {OutgoingError} `invalid-ref`.
 */
export function requireRef(ref: string): void {
  const name = /^refs\/(?:heads|tags)\/(.+)$/s.exec(ref)?.[1];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the rule is about control characters
  const forbidden = /[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$/;
  const parts = name?.split('/') ?? [];
  if (
    name === undefined ||
    name.length > 1_000 ||
    forbidden.test(name) ||
    parts.some(
      (part) => part === '' || part.startsWith('.') || part.startsWith('-') || part.endsWith('.lock'),
    )
  ) {
    throw new OutgoingError(
      'invalid-ref',
      'The ref is no name of a branch or tag. Write it as in refs/heads/main or refs/tags/v1.',
    );
  }
}
