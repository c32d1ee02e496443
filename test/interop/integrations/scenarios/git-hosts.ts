/** Integrations of GitHub and GitLab. */
import type { FakeReply, Replies } from '../fakes/services.ts';
import type { Scenario } from './scenario.ts';

const SYNC = 'it synchronizes with Git, from a repository on a real host';

const ACCOUNT = { id: 1, login: 'interop', avatar_url: 'https://avatars.example.com/1' };
const REPOSITORY = {
  id: 1,
  name: 'docs',
  full_name: 'interop/docs',
  visibility: 'public',
  default_branch: 'main',
  owner: ACCOUNT,
};
const PROJECT = {
  id: 1,
  name: 'docs',
  path_with_namespace: 'interop/docs',
  visibility: 'public',
  default_branch: 'main',
};

/** Replies of GitHub's API by patterns of their paths. */
const GITHUB: readonly (readonly [path: RegExp, json: unknown])[] = [
  [/^\/user$/, { ...ACCOUNT, name: 'Ada' }],
  [
    /^\/user\/installations$/,
    { total_count: 2, installations: [1, 2].map((id) => ({ id, account: ACCOUNT })) },
  ],
  [/\/access_tokens$/, { token: 'interop-token', expires_at: '2100-01-01T00:00:00Z' }],
  [/^\/app\/installations\/1$/, { id: 1, account: ACCOUNT }],
  [/\/branches$/, [{ name: 'main', protected: false }]],
  [/\/repositories$/, { total_count: 1, repositories: [REPOSITORY] }],
  [/\/statuses\//, { id: 1 }],
  [/^\/repositor(y|ies)\/1$|^\/repos\/interop\/docs$/, REPOSITORY],
];

/** Replies of GitLab's API. */
const GITLAB: typeof GITHUB = [
  [/\/user$/, { id: 1, username: 'ada', name: 'Ada' }],
  [/\/branches$/, [{ name: 'main' }]],
  [/\/projects\/[^/]+\/hooks/, { id: 1 }],
  [/\/projects\/[^/]+$/, PROJECT],
  [/\/projects$/, [PROJECT]],
];

const repliesOf =
  (host: string, replies: typeof GITHUB): Replies =>
  ({ url }): FakeReply | undefined => {
    const [, json] = (url.host === host && replies.find(([path]) => path.test(url.pathname))) || [];
    return json === undefined ? undefined : { json };
  };

export const GIT_HOSTS: Record<string, Scenario> = {
  github: {
    settings: { withCustomTemplate: false, installation: '1', repository: '1', branch: 'refs/heads/main' },
    needs: { sync: SYNC },
    replies: repliesOf('api.github.com', GITHUB),
  },
  'github-copilot': {
    settings: { installations: ['2'] },
    replies: repliesOf('api.github.com', GITHUB),
  },
  gitlab: {
    settings: { accessToken: 'interop-token', withCustomTemplate: false, withCustomInstanceUrl: false },
    needs: { sync: SYNC },
    replies: repliesOf('gitlab.com', GITLAB),
  },
};
