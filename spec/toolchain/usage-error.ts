/** Unusable document, approvals file or option. The message states the problem, its cause and the fix. */
export class UsageError extends Error {}
