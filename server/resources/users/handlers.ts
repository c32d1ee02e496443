import { presentUser } from '../../models/users/present.ts';
import type { Slice } from '../kit/slice.ts';

/** Handlers of the authenticated user. */
export const userHandlers = {
  async getCurrentUser(_request, { caller, addresses }) {
    return presentUser(caller.user, addresses);
  },
} satisfies Slice;
