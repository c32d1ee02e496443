/** A document, a ledger or an option that cannot be used: the message says what, why, and how to mend it. */
export class BadInput extends Error {}
