import { lazySlice } from './lazy-slice.ts';

/** The handlers of `platform/spaces`. */
export const spacesHandlers = {
  ...lazySlice(
    async () => (await import('../../platform/spaces/collections/handlers.ts')).collectionHandlers,
    [
      'listCollections',
      'createCollection',
      'getCollection',
      'updateCollection',
      'deleteCollection',
      'listCollectionSpaces',
      'moveCollection',
      'transferCollection',
    ],
  ),
  ...lazySlice(
    async () => (await import('../../platform/spaces/grants/handlers.ts')).grantHandlers,
    [
      'createSpaceGrants',
      'listSpaceUserGrants',
      'updateSpaceUserGrant',
      'deleteSpaceUserGrant',
      'listSpaceTeamGrants',
      'updateSpaceTeamGrant',
      'deleteSpaceTeamGrant',
      'createCollectionGrants',
      'listCollectionUserGrants',
      'updateCollectionUserGrant',
      'deleteCollectionUserGrant',
      'listCollectionTeamGrants',
      'updateCollectionTeamGrant',
      'deleteCollectionTeamGrant',
    ],
  ),
  ...lazySlice(
    async () => (await import('../../platform/spaces/invitations/handlers.ts')).invitationHandlers,
    [
      'listLinkInvites',
      'createLinkInvite',
      'getLinkInvite',
      'updateLinkInvite',
      'deleteLinkInvite',
      'inviteUsers',
      'acceptInvite',
    ],
  ),
  ...lazySlice(
    async () => (await import('../../platform/spaces/spaces/handlers.ts')).spaceHandlers,
    [
      'listSpaces',
      'createSpace',
      'listMemberSpaces',
      'getSpace',
      'updateSpace',
      'deleteSpace',
      'duplicateSpace',
      'restoreSpace',
      'moveSpace',
      'transferSpace',
    ],
  ),
};
