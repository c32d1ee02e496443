import { type Credentials, splitCredentials } from '../credentials.ts';
import { REPOSITORY_PROTOCOLS } from '../environment.ts';
import { OutgoingError } from '../errors.ts';

const OBJECT_ID_PATTERN = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Returns whether a text is the complete ID of a Git object. */
export const isObjectId = (text: string): boolean => OBJECT_ID_PATTERN.test(text);

/**
 * Parses the URL of a repository and removes its credentials.
 *
 * @throws {OutgoingError} `invalid-url` or `refused-protocol`
 */
export function parseRepositoryUrl(text: string): { url: URL; credentials?: Credentials } {
  const split = splitCredentials(text);
  const { url } = split;
  if (!REPOSITORY_PROTOCOLS.has(url.protocol)) {
    throw new OutgoingError(
      'refused-protocol',
      `The protocol "${url.protocol.slice(0, -1)}" is not supported for repositories. Use an https, http or ssh URL.`,
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
      'The repository URL is invalid. Use the form https://host/path, without a query, and without "-" at the start of the user, host or path.',
    );
  }
  url.hash = '';
  return split;
}

/**
 * Validates the full name of a branch or tag (git-check-ref-format).
 *
 * @throws {OutgoingError} `invalid-ref`
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
      'The ref is invalid. Use the full name of a branch or tag, such as refs/heads/main or refs/tags/v1.',
    );
  }
}
