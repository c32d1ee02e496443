/** The rules over several requests, which the run itself judges: their names, and what they ask of a server. */
export const sequenceRules: readonly { name: string; asks: string }[] = [
  { name: 'read-after-write', asks: 'What was created can be read, with the values that were sent.' },
  { name: 'update-then-read', asks: 'What was updated is read with the values that were sent.' },
  { name: 'patch-leaves-others', asks: 'PATCH leaves fields alone that it does not name.' },
  { name: 'delete-then-read', asks: 'What was deleted is answered 404 or 410.' },
  { name: 'idempotent-delete', asks: 'The second DELETE is answered like the first, or 404 or 410.' },
  { name: 'list-contains-created', asks: 'The list of a resource holds what was created in it.' },
  { name: 'pages-complete', asks: 'All pages together hold everything once, and they end.' },
  {
    name: 'isolation',
    asks: 'The second token sees nothing of what the first one made, neither by itself nor in lists.',
  },
];
