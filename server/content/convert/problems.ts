import type { OutgoingError } from '../../outgoing/errors.ts';
import type { ContentProblem } from '../repository/types.ts';

/** Describes a page or image that was not imported, because it could not be fetched completely. */
export function fetchProblem(address: string, { code, message }: OutgoingError): ContentProblem {
  const reason = code === 'too-large' ? 'too_large' : 'unreadable';
  return { path: address, reason, message: `It was skipped. ${message}` };
}

/** Describes a page that was not imported, because its text cannot be read. */
export function unreadablePage(path: string, { message }: Error): ContentProblem {
  return { path, reason: 'unreadable', message: `The page was skipped. ${message}` };
}

/** Describes what the limits of an import omitted, which may be many pages, as at most one problem. */
export function limitProblems(path: string, omitted: { pages: number; images: number }): ContentProblem[] {
  const { pages, images } = omitted;
  if (pages + images === 0) {
    return [];
  }
  const message = `Skipped pages: ${pages}, images: ${images}. The import reached its limit of pages, time or size. Import the source in parts.`;
  return [{ path, reason: 'too_large', message }];
}
