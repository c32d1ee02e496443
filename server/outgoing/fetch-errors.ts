import { OutgoingError } from './errors.ts';
import { ReaderError } from './fetch-body.ts';

/** Converts an error to an {@link OutgoingError} with a message for the caller. */
export function toOutgoingError(
  error: unknown,
  url: URL,
  limits: { deadline: AbortSignal; timeout: number; caller: AbortSignal | undefined },
): unknown {
  if (error instanceof OutgoingError) {
    return error;
  }
  if (error instanceof ReaderError) {
    return error.cause;
  }
  if (limits.caller?.aborted) {
    return new OutgoingError('aborted', `The request to ${displayUrl(url)} was aborted.`, {
      cause: error,
    });
  }
  if (limits.deadline.aborted) {
    return new OutgoingError(
      'timeout',
      `${displayUrl(url)} did not respond completely within ${limits.timeout / 1000} seconds. Try again later.`,
      { cause: error },
    );
  }
  if (!(error instanceof Error)) {
    return error;
  }
  const lookupError = outgoingErrorIn(error);
  if (lookupError) {
    return lookupError;
  }
  return new OutgoingError(
    'unreachable',
    `${displayUrl(url)} could not be fetched. Check that the URL is correct, and that its server is running and has a valid certificate.`,
    { cause: error },
  );
}

/** Returns the outgoing error that is the error or a cause of it, such as that of a lookup. */
export function outgoingErrorIn(error: Error): OutgoingError | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutgoingError) {
      return cause;
    }
  }
  return undefined;
}

/** Formats a URL for a message, without its query, which may contain secrets. */
export function displayUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
