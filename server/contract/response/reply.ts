/** The parts of a response that a handler returns. */
export interface ReplyParts {
  status?: number;
  contentType?: string;
  headers?: object;
  body?: unknown;
}

/** A response with headers. Created by {@link reply}. */
export interface Reply<Parts> {
  /** @internal */
  readonly parts: Parts;
}

class CreatedReply<Parts> implements Reply<Parts> {
  readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }
}

/**
 * Returns a response with headers, for operations with handlers that otherwise return only the body:
 *
 * @example
 * getReport: async ({ path }) => reply({ headers: { ETag: '"1"' }, body: await reports.read(path.reportId) }),
 */
export const reply = <Parts extends ReplyParts>(parts: Parts): Reply<Parts> => new CreatedReply(parts);

/** Returns whether the result of a handler is a response with headers. */
export const isReply = (result: unknown): result is Reply<ReplyParts> => result instanceof CreatedReply;
