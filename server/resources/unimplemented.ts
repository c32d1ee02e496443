import { notImplemented } from '../contract/errors.ts';
import type { AllHandlers, OperationId } from './kit/slice.ts';

/** The operations of the contract that are not implemented yet and return 501. */
export const UNIMPLEMENTED = [] as const satisfies OperationId[];

const handlers: unknown = Object.fromEntries(
  UNIMPLEMENTED.map((id) => [
    id,
    async () => {
      throw notImplemented(id);
    },
  ]),
);

/** Handlers of the operations that are not implemented yet. */
// A handler that only throws fits every operation; the keys are those of `UNIMPLEMENTED`.
export const unimplementedHandlers = handlers as Pick<AllHandlers, (typeof UNIMPLEMENTED)[number]>;
