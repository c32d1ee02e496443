let read: () => string | undefined = () => undefined;

/**
 * Returns the identifier of the current trace and span, for work that another process continues; undefined if the current
 * work is not traced. Its format is that of the header `traceparent` (https://www.w3.org/TR/trace-context/).
 */
export const currentTraceParent = (): string | undefined => read();

/** Sets the source of {@link currentTraceParent}. Called once, if this process records traces. */
export function provideTraceParent(source: () => string | undefined): void {
  read = source;
}
