/** Checks of several requests, which the run itself evaluates. */
export const SEQUENCE_RULES: readonly { name: string; rule: string }[] = [
  { name: 'read-after-create', rule: 'A created resource can be read and has the values that were sent.' },
  { name: 'read-after-update', rule: 'An updated resource has the values that were sent.' },
  { name: 'patch-preserves-omitted', rule: 'PATCH does not change omitted fields.' },
  { name: 'read-after-delete', rule: 'Reading a deleted resource returns 404 or 410.' },
  {
    name: 'idempotent-delete',
    rule: 'A repeated DELETE returns the same status as the first, or 404 or 410.',
  },
  { name: 'list-contains-created', rule: 'Lists contain the resources that were created in them.' },
  { name: 'pages-complete', rule: 'The pages of a list contain each item exactly once, and they end.' },
  {
    name: 'isolation',
    rule: 'The second token cannot access resources of the first one, neither directly nor in lists.',
  },
];
