import { presentUser } from '../../models/users/present.ts';
import type { Services, Slice } from '../kit/slice.ts';

/** Handlers of the authenticated user. */
export function userHandlers({ addresses }: Services): Slice<'getCurrentUser'> {
  return {
    async getCurrentUser(_request, { caller }) {
      return presentUser(caller.user, addresses);
    },
  };
}
