import { presentUser } from '../../models/users/present.ts';
import type { Slice } from '../kit/slice.ts';

/** Handlers of the authenticated user. */
export const userHandlers = {
  async getCurrentUser(_request, { caller, resourceUrls }) {
    return presentUser(caller.user, resourceUrls);
  },
} satisfies Slice;
