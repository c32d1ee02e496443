import { defineTransfer } from '../../kit/transfer/define.ts';
import { enumeration, id, MAINTAINED, optional, text, time } from '../../kit/transfer/fields.ts';

/** How the teams of an organization travel. */
export const teamTransfer = defineTransfer('teams', {
  columns: {
    id,
    title: text,
    createdAt: time,
    createdBy: optional(text),
    searchedText: MAINTAINED,
    hasOutdatedCopies: MAINTAINED,
  },
  key: ['id'],
});

/** How the members of teams travel. */
export const teamMemberTransfer = defineTransfer('teamMembers', {
  columns: {
    team: text,
    user: text,
    role: enumeration('TeamRole'),
    joinedAt: time,
    teamCreatedAt: time,
    teamSearchedText: MAINTAINED,
  },
  key: ['team', 'user'],
  isLast: true,
});
