/** An edit that cannot be made; nothing was changed. The message goes on from the name of the field at fault. */
export class EditError extends Error {
  override readonly name = 'EditError';
  /** The field of the request: names and indexes joined by dots, such as `changes.3.into`. */
  readonly path: string;
  /** Whether the request is fine by itself, and what is there stands against it. */
  readonly conflict: boolean;

  constructor(path: string, message: string, { conflict = false } = {}) {
    super(message);
    this.path = path;
    this.conflict = conflict;
  }
}
