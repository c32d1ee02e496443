/** Why a caller is turned away. The app turns each into the contract's answer. */
export type Refusal =
  /** No token, or one that is unknown, expired or revoked. */
  | 'unauthenticated'
  /** The caller may not see the thing: to them it does not exist. */
  | 'invisible'
  /** The caller sees the thing and may not do this to it. */
  | 'forbidden';

/** A caller who is turned away; the message is for them. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

/** What does not exist and what the caller may not see are one answer. */
export const invisible = (thing: string) =>
  new AccessError(
    'invisible',
    `There is no such ${thing}, or you may not see it. Check the id and the token.`,
  );

/** The caller sees the thing, and lacks a permission on it. */
export const lacking = (thing: string, permission: string) =>
  new AccessError(
    'forbidden',
    `You may not do this: it needs the permission ${permission} on this ${thing}.`,
  );

/**
 * What a DELETE names, undefined where it does not exist for the caller: then there is nothing to delete, and
 * the answer is the same. Other refusals are thrown on.
 */
export async function unlessInvisible<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof AccessError && error.refusal === 'invisible') return undefined;
    throw error;
  }
}
