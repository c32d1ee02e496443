import { presentUser } from '../../models/users/present.ts';
import type { Services, Slice } from '../kit/slice.ts';

/** Creates the handlers of the authenticated user. */
export function userHandlers({ addresses }: Services): Slice<'getCurrentUser'> {
  return {
    async getCurrentUser(_request, { caller }) {
      return presentUser(caller.user, addresses);
    },
  };
}
