import type { Slice } from '../../kit/slice.ts';
import { presentUser } from './present.ts';

/** Handlers of the authenticated user. */
export const userHandlers = {
  async getCurrentUser(_request, { caller, resourceUrls }) {
    return presentUser(caller.user, resourceUrls);
  },
} satisfies Slice;
